import { chooseCommand, understand } from './command-line.ts';
import { exitCodeOf, exitCodes } from './exit-code.ts';
import { commandHelp, programHelp } from './help.ts';
import { print, reportFailure, type FailureOptions } from './output.ts';
import { commands } from './registry.ts';
import { fired, signalCode, stopSignal, within } from './stop.ts';
import { version } from './version.ts';

/** After a signal, servers get this long to end by themselves; then they are killed with us. */
const endMs = 3000;

/** Does what a command line says, and tells what went wrong; gives the exit code. Without a signal, those of this process stop it. */
export async function run(argv: readonly string[], given?: AbortSignal): Promise<number> {
  try {
    return await done(argv, given);
  } catch (error) {
    reportFailure(error, failureOptionsOf(argv));
    return exitCodeOf(error);
  }
}

async function done(argv: readonly string[], given?: AbortSignal): Promise<number> {
  const [first, ...rest] = argv;
  // Help for what the words say, as if they had been typed.
  if (first === 'help') return done([...rest, '--help'], given);
  if (first === 'version' && rest.length === 0) return done(['--version'], given);
  if (first === '__warm') {
    const { keepWarm } = await import('./warm/keeper.ts');
    await keepWarm(rest[0] ?? '');
    return new Promise(() => {});
  }
  if (first === '__complete') {
    const { printCompletion } = await import('./completion/print.ts');
    await printCompletion(rest);
    return exitCodes.ok;
  }
  const chosen = chooseCommand(argv, commands);
  if (chosen.kind === 'program') {
    print(first === '-v' || first === '--version' ? version() : programHelp(commands));
    return exitCodes.ok;
  }
  if (chosen.kind === 'group') {
    print(programHelp(commands, chosen.group));
    return exitCodes.ok;
  }
  const command = await chosen.entry.load();
  const stop = given ?? stopSignal();
  const understood = understand(chosen, command, stop);
  if (understood.help) {
    print(commandHelp(chosen.name, chosen.entry, command));
    return exitCodes.ok;
  }
  // The invocation was made from the command's own definition.
  const running = command.run(understood.invocation as never);
  return command.endsItself === true
    ? ((await running) ?? exitCodes.ok)
    : untilStopped(stop, running);
}

/** The exit code of a run that a signal may end. */
async function untilStopped(stop: AbortSignal, running: Promise<number | void>): Promise<number> {
  const ending = fired(stop).then(() =>
    within(
      endMs,
      running.catch(() => undefined),
    ),
  );
  try {
    const code = await Promise.race([running, ending]);
    return code ?? (stop.aborted ? signalCode(stop.reason) : exitCodes.ok);
  } catch (error) {
    // What was cut short failed because it was cut short.
    if (stop.aborted) return signalCode(stop.reason);
    throw error;
  }
}

/** How failures are shown. The command line says so, also one that cannot be understood. */
export function failureOptionsOf(argv: readonly string[]): FailureOptions {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  return {
    stack: /--log-level[= ]debug/.test(own.join(' ')),
    // A shell that wants words is no script, and what reads from a server is a client.
    json: own[0] !== '__complete' && own.includes('--json') && !own.includes('--stdio'),
  };
}
