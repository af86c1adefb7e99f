import type { Option, Options, Positional } from './args.ts';
import type { Command, CommandEntry } from './command.ts';
import { commonOptions, globalGroups, targetOptions } from './global-options.ts';

type Commands = Readonly<Record<string, CommandEntry>>;

/** Where a usage error of a command sends its reader. */
export const helpHint = (name?: string): string =>
  `See: mcpctl ${name === undefined ? '--help' : `help ${name}`}`;

/** The help of the program, or of the commands that begin with one word. */
export function programHelp(commands: Commands, group?: string): string {
  const rows = Object.entries(commands)
    .filter(([name, { hidden }]) => !hidden && (group === undefined || isIn(group, name)))
    .map(([name, { summary }]) => [name, summary] as const);
  const listed = ['Commands:', ...table([...rows, ['help COMMAND', 'Show what a command takes.']])];
  if (group !== undefined) {
    return [`Usage: mcpctl ${group} COMMAND [OPTION…]`, '', ...listed].join('\n');
  }
  return [
    'Usage: mcpctl COMMAND [ARGUMENT…] [OPTION…]',
    '       mcpctl COMMAND [ARGUMENT…] [OPTION…] -- PROGRAM [ARGUMENT…]',
    '',
    ...listed,
    '',
    ...Object.entries(globalGroups).flatMap(([title, options]) => section(title, options)),
    ...section('A server that is in no file', targetOptions, [
      ['-- PROGRAM [ARGUMENT…]', 'Use the server that this command starts.'],
    ]),
    'Options:',
    ...table([
      ['-h, --help', 'Show this help.'],
      ['-v, --version', 'Show the version.'],
    ]),
  ].join('\n');
}

/** Whether a command begins with this word. */
export function isIn(group: string, name: string): boolean {
  return name.startsWith(`${group} `);
}

/** The help of one command. */
export function commandHelp(name: string, entry: CommandEntry, command: Command): string {
  const { positionals, options, groups, examples, notes = [], scope } = command;
  const aliases = entry.aliases ?? [];
  const args = positionals.map((positional) => [positional.name, positional.help] as const);
  const sections: Readonly<Record<string, Options>> =
    groups === undefined
      ? { Options: { ...options, ...commonOptions } }
      : { ...groups, Help: commonOptions };
  const lines = [`Usage: ${usageOf(name, command)}`];
  if (scope === 'server') {
    lines.push(`       ${usageOf(name, withoutServer(command))} -- PROGRAM [ARGUMENT…]`);
  }
  lines.push('', entry.summary);
  if (aliases.length > 0) lines.push('', `Also: ${aliases.join(', ')}`);
  if (args.length > 0) lines.push('', 'Arguments:', ...table(args));
  for (const [title, rows] of Object.entries(sections)) {
    lines.push('', `${title}:`, ...table(rowsOf(rows)));
  }
  if (scope !== 'own') lines.push('', 'Global options: mcpctl --help');
  if (examples.length > 0) lines.push('', 'Examples:');
  for (const { command: line, about } of examples) lines.push(`  ${line}`, `      ${about}`);
  if (notes.length > 0) lines.push('', ...notes);
  return lines.join('\n');
}

/** How a command is typed. */
export function usageOf(name: string, { positionals }: Pick<Command, 'positionals'>): string {
  return ['mcpctl', name, ...positionals.map(placeOf), '[OPTION…]'].join(' ');
}

function withoutServer({ positionals }: Command): Pick<Command, 'positionals'> {
  return { positionals: positionals.filter(({ name }) => name !== 'SERVER') };
}

function placeOf({ name, optional, many }: Positional): string {
  const label = many ? `${name}…` : name;
  return optional ? `[${label}]` : label;
}

/** An option as it is typed. */
export function spelling(name: string, { short, type, value = 'VALUE', bare }: Option): string {
  const long = short === undefined ? `--${name}` : `-${short}, --${name}`;
  if (type === 'boolean') return long;
  return bare === undefined ? `${long} ${value}` : `${long}[=${value}]`;
}

type Rows = readonly (readonly [string, string])[];

function section(title: string, options: Options, more: Rows = []): string[] {
  return [`${title}:`, ...table([...rowsOf(options), ...more]), ''];
}

function rowsOf(options: Options): Rows {
  return Object.entries(options).map(([name, about]) => [spelling(name, about), about.help]);
}

function table(rows: Rows): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
