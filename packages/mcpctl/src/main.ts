#!/usr/bin/env node
import { chooseCommand, understand } from './command-line.ts';
import { exitCodeOf, exitCodes } from './exit-code.ts';
import { commandHelp, programHelp } from './help.ts';
import { complain, flush, print } from './output.ts';
import { commands } from './registry.ts';
import { fired, signalCode, stopSignal, within } from './stop.ts';
import { version } from './version.ts';

/** After a signal, servers get this long to end by themselves; then they are killed with us. */
const endMs = 3000;

/** How failures are shown, as far as the command line says. */
interface Manner {
  readonly stack: boolean;
  /** Not before the command line is understood: until then nobody knows what standard output is for. */
  json: boolean;
}

async function run(argv: readonly string[], manner: Manner): Promise<number> {
  const [first, ...rest] = argv;
  // Help for what the words say, as if they had been typed.
  if (first === 'help') return run([...rest, '--help'], manner);
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
  manner.json = understood.invocation.globals.json;
  // The invocation was made from the command's own definition.
  return obeying(stop, command.run(understood.invocation as never));
}

/** The exit code of a run that a signal may end. */
async function obeying(stop: AbortSignal, running: Promise<number | void>): Promise<number> {
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

async function main(argv: readonly string[]): Promise<void> {
  const manner = { stack: /--log-level[= ]debug/.test(argv.join(' ')), json: false };
  const end = async (code: number): Promise<void> => {
    await flush();
    // Whatever still runs, a tool's timer or a socket, has had its time.
    process.exit(code);
  };
  const fail = async (error: unknown): Promise<void> => {
    complain(error, manner);
    await end(exitCodeOf(error));
  };
  // A reader that went away, as in `mcpctl serve | head`, is no reason to stop serving.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  process.on('uncaughtException', (error) => void fail(error));
  try {
    await end(await run(argv, manner));
  } catch (error) {
    await fail(error);
  }
}

void main(process.argv.slice(2));
