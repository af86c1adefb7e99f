import type { Option, Options } from './args.ts';
import type { Command, CommandEntry } from './command.ts';

/** The options every command has. */
export const commonOptions = {
  help: { type: 'boolean', short: 'h', help: 'Show this help.' },
} as const satisfies Options;

/** Where a usage error of a command sends its reader. */
export const helpHint = (name?: string): string =>
  `See: mcpctl ${name === undefined ? '--help' : `help ${name}`}`;

/** The help of the program. */
export function programHelp(commands: Readonly<Record<string, CommandEntry>>): string {
  const rows = Object.entries(commands).map(([name, { summary }]) => [name, summary] as const);
  return [
    'Usage: mcpctl COMMAND [OPTION…]',
    '',
    'Commands:',
    ...table([...rows, ['help COMMAND', 'Show what a command takes.']]),
    '',
    'Options:',
    ...table([
      ['-h, --help', 'Show this help.'],
      ['-v, --version', 'Show the version.'],
    ]),
  ].join('\n');
}

/** The help of one command. */
export function commandHelp(name: string, { summary }: CommandEntry, command: Command): string {
  const sections: Readonly<Record<string, Options>> =
    command.groups === undefined
      ? { Options: { ...command.options, ...commonOptions } }
      : { ...command.groups, Help: commonOptions };
  return [
    `Usage: mcpctl ${name} [OPTION…]`,
    '',
    summary,
    ...Object.entries(sections).flatMap(([title, options]) => ['', `${title}:`, ...rowsOf(options)]),
    ...(command.notes === undefined ? [] : ['', ...command.notes]),
  ].join('\n');
}

function rowsOf(options: Options): string[] {
  return table(Object.entries(options).map(([name, about]) => [spelling(name, about), about.help]));
}

function spelling(name: string, { short, type, value }: Option): string {
  const long = short === undefined ? `--${name}` : `-${short}, --${name}`;
  return type === 'boolean' ? long : `${long} ${value ?? 'VALUE'}`;
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
