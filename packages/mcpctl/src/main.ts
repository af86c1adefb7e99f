import { chooseCommand, understand } from './command-line.ts';
import { exitCodeOf, exitCodes } from './exit-code.ts';
import { commandHelp, programHelp } from './help.ts';
import { reportFailure, flush, watchOutput, print, type FailureOptions } from './output.ts';
import { commands } from './registry.ts';
import { fired, signalCode, stopSignal, within } from './stop.ts';
import { version } from './version.ts';

/** After a signal, servers get this long to end by themselves; then they are killed with us. */
const endMs = 3000;

async function run(argv: readonly string[]): Promise<number> {
  const [first, ...rest] = argv;
  // Help for what the words say, as if they had been typed.
  if (first === 'help') return run([...rest, '--help']);
  if (first === 'version' && rest.length === 0) return run(['--version']);
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
  const stop = stopSignal();
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
function failureOptionsOf(argv: readonly string[]): FailureOptions {
  const end = argv.indexOf('--');
  const own = end === -1 ? argv : argv.slice(0, end);
  return {
    stack: /--log-level[= ]debug/.test(own.join(' ')),
    // A shell that wants words is no script, and what reads from a server is a client.
    json: own[0] !== '__complete' && own.includes('--json') && !own.includes('--stdio'),
  };
}

async function main(argv: readonly string[]): Promise<void> {
  const options = failureOptionsOf(argv);
  const end = async (code: number): Promise<void> => {
    const lost = await flush();
    if (lost !== undefined) reportFailure(lost, options);
    // Whatever still runs, a tool's timer or a socket, has had its time.
    process.exit(lost === undefined || code !== exitCodes.ok ? code : exitCodeOf(lost));
  };
  const fail = async (error: unknown): Promise<void> => {
    reportFailure(error, options);
    await end(exitCodeOf(error));
  };
  watchOutput();
  process.on('uncaughtException', (error) => void fail(error));
  try {
    await end(await run(argv));
  } catch (error) {
    await fail(error);
  }
}

void main(process.argv.slice(2));
