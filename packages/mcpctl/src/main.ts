#!/usr/bin/env node
import { nearest, parseOptions, usageError } from './args.ts';
import { commands, type CommandEntry } from './command.ts';
import { exitCodeOf, exitCodes } from './exit-code.ts';
import { commandHelp, commonOptions, helpHint, programHelp } from './help.ts';
import { complain, flush, print } from './output.ts';
import { version } from './version.ts';

async function run(args: readonly string[]): Promise<void> {
  const [first, ...rest] = args;
  if (first === undefined || first === '-h' || first === '--help') {
    print(programHelp(commands));
  } else if (first === '-v' || first === '--version') {
    print(version());
  } else if (first === 'help') {
    await help(rest);
  } else if (first.startsWith('-')) {
    throw usageError(`unknown option ${first}`, `Put options after a command. ${helpHint()}`);
  } else {
    await runCommand(first, rest);
  }
}

async function help([name, ...more]: readonly string[]): Promise<void> {
  if (more.length > 0) throw usageError('help takes one command', helpHint());
  if (name === undefined) print(programHelp(commands));
  else print(commandHelp(name, entryOf(name), await entryOf(name).load()));
}

async function runCommand(name: string, args: readonly string[]): Promise<void> {
  const entry = entryOf(name);
  const command = await entry.load();
  const options = { ...command.options, ...commonOptions };
  const { values, positionals } = parseOptions(args, options, helpHint(name));
  if (values.help) {
    print(commandHelp(name, entry, command));
    return;
  }
  const [stray] = positionals;
  if (stray !== undefined) throw usageError(`unexpected argument "${stray}"`, helpHint(name));
  // The values were read by this command's own options.
  await command.run(values as never);
}

function entryOf(name: string): CommandEntry {
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry !== undefined) return entry;
  const near = nearest(name, Object.keys(commands));
  const hint = near === undefined ? helpHint() : `Did you mean ${near}? ${helpHint()}`;
  throw usageError(`unknown command "${name}"`, hint);
}

async function main(args: readonly string[]): Promise<void> {
  const stack = /--log-level[= ]debug/.test(args.join(' '));
  const end = async (code: number): Promise<void> => {
    await flush();
    // Whatever still runs, a tool's timer or a socket, has had its time.
    process.exit(code);
  };
  const fail = async (error: unknown): Promise<void> => {
    complain(error, { stack });
    await end(exitCodeOf(error));
  };
  // A reader that went away, as in `mcpctl serve | head`, is no reason to stop serving.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  process.on('uncaughtException', (error) => void fail(error));
  try {
    await run(args);
    await end(exitCodes.ok);
  } catch (error) {
    await fail(error);
  }
}

void main(process.argv.slice(2));
