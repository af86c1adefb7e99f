import { lstat, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { KitError, replaceFile, whileChanging } from 'mcp-kit/internal';
import {
  convertConfig,
  dialectIds,
  loadConfig,
  type DialectId,
  type LoadedConfig,
  type ServerEntry,
} from '@mcp-kit/host';
import { dialectTitle, hosts, isInside, type Conversion } from '@mcp-kit/host/internal';
import { nearest, usageError } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { checkPlace, loadOptions } from '../../config.ts';
import { home, type Globals } from '../../globals.ts';
import { count, print, printJson, tell, warn, writeOutput } from '../../output.ts';
import { plainField, plainText } from '../../terminal/plain-text.ts';
import { columnsOf } from '../../terminal/style.ts';
import { table } from '../../terminal/table.ts';

export const configConvert = defineCommand({
  scope: 'config',
  options: {
    to: { type: 'string', value: 'HOST', help: 'The host to write for; --list names them.' },
    from: {
      type: 'string',
      value: 'DIALECT',
      help: "Read this host's files, or --in as one of them.",
    },
    in: {
      type: 'string',
      value: 'FILE',
      help: 'Read this file. Default: the files of the project.',
    },
    out: { type: 'string', value: 'FILE', help: 'Write to this file; what else is in it stays.' },
    write: { type: 'boolean', help: "Write to the host's own file in the project." },
    list: { type: 'boolean', help: 'List the dialects, and the hosts that write so.' },
  },
  examples: [
    {
      command: 'mcpctl config convert --to vscode',
      about: 'Print the servers as VS Code has them.',
    },
    {
      command: 'mcpctl config convert --from claude-code --to codex --out .codex/config.toml',
      about: 'Add the servers of one host to the file of another.',
    },
  ],
  notes: [
    'Comments and other settings in a file that exists stay. What the host cannot be told goes to standard error.',
    'A server that cannot be read, or that the host cannot have, is left out and named; the others are written.',
    'References to variables are rewritten in the way of the host; nothing is resolved.',
  ],
  async run({ values, globals }) {
    if (values.list === true) {
      list(globals);
      return;
    }
    const to = readForm('to', values.to, forms);
    const from =
      values.from === undefined ? undefined : readForm('from', values.from, dialects).dialect;
    const config = await source(globals, { from, file: values.in });
    const file = await destination(globals, { to, out: values.out, write: values.write ?? false });
    const { entries } = config;
    const { text, servers, changed, lost } =
      file === undefined
        ? await convertConfig(entries, to.dialect)
        : await convertInto(file, entries, to.dialect);
    const leftOut = entries.length - servers.length + brokenServers(config);
    for (const { server, field, why } of lost) {
      warn(globals, plainField(`lost: ${server}: ${field}: ${why}`));
    }
    if (globals.json) {
      printJson({
        to: to.id,
        servers: servers.length,
        written: changed.length,
        leftOut,
        text: file === undefined ? text : undefined,
        file,
        lost,
      });
    } else if (file === undefined) {
      // A file gets the text as it is, a terminal what it can show.
      writeOutput(process.stdout.isTTY ? plainText(text) : text);
    } else {
      print(`${file}${sumOf(servers, changed, to.title)}${partOf(leftOut, 'left out')}`);
    }
  },
});

/** What became of a file; what was there already is not counted as written. */
function sumOf(servers: readonly string[], changed: readonly string[], host: string): string {
  if (changed.length === 0) return ` already has ${count(servers.length, 'server')} for ${host}`;
  const there = partOf(servers.length - changed.length, 'there already');
  return `: wrote ${count(changed.length, 'server')} for ${host}${there}`;
}

function partOf(number: number, what: string): string {
  return number === 0 ? '' : `; ${number} ${number === 1 ? 'was' : 'were'} ${what}`;
}

function list(globals: Globals): void {
  const all = dialects.map(({ id, title }) => ({ id, title, alike: alike(id) }));
  if (globals.json) {
    printJson({ dialects: all });
    return;
  }
  const rows = all.map((one) => [one.id, one.title, one.alike.join(', ')]);
  const head = ['DIALECT', 'HOST', 'LIKEWISE'];
  print(table(rows, { head, columns: columnsOf(process.stdout) }));
}

/** A way to write servers down: a dialect, or a host that writes as another one does, in a file of its own. */
interface Form {
  readonly id: string;
  readonly title: string;
  readonly dialect: DialectId;
}

const dialects: readonly Form[] = dialectIds.map((id) => ({
  id,
  title: dialectTitle(id),
  dialect: id,
}));
const followers: readonly Form[] = hosts.filter(({ id, dialect }) => id !== dialect);
const forms: readonly Form[] = [...dialects, ...followers];

function alike(dialect: string): readonly string[] {
  return followers.filter((host) => host.dialect === dialect).map(({ id }) => id);
}

function readForm(option: string, text: string | undefined, among: readonly Form[]): Form {
  const found = among.find(({ id }) => id === text);
  if (found !== undefined) return found;
  const names = among.map(({ id }) => id);
  const known = `Known are ${names.join(', ')}.`;
  if (text === undefined) throw usageError(`--${option} is missing`, `Name a host. ${known}`);
  const near = nearest(text, names);
  const hint = near === undefined ? known : `Did you mean ${near}? ${known}`;
  throw usageError(`--${option} cannot be ${JSON.stringify(text)}`, hint);
}

/** The servers to convert: of one file, of one host, or of the project; not those that the user has elsewhere. */
async function source(
  globals: Globals,
  { from, file }: { readonly from: DialectId | undefined; readonly file: string | undefined },
): Promise<LoadedConfig> {
  checkPlace(globals);
  const { home: folder, ...options } = loadOptions(globals);
  const config = await loadConfig({
    ...options,
    files: file === undefined ? options.files : [path.resolve(file)],
    dialect: from,
    home: from !== undefined && file === undefined ? folder : undefined,
  });
  const [error] = config.errors;
  const isNamed = file !== undefined || globals.configFile !== undefined;
  if (error !== undefined && isNamed && config.entries.length === 0) throw error;
  for (const { message } of config.errors) tell(message);
  if (config.entries.length > 0) return config;
  const where = file ?? (from === undefined ? globals.root : `the files of ${dialectTitle(from)}`);
  throw usageError(`no servers in ${where}`, 'Name another file with --in FILE.');
}

/** How many servers cannot be read; an error of a whole file is none of them. */
function brokenServers({ errors }: LoadedConfig): number {
  // What is below the map of servers begins with the name of one; each has one error at most.
  return errors.filter(({ details }) => /^\/[^/]+\/./.test(String(details?.['pointer']))).length;
}

/** Where to write to; standard output without. */
async function destination(
  globals: Globals,
  {
    to,
    out,
    write,
  }: { readonly to: Form; readonly out: string | undefined; readonly write: boolean },
): Promise<string | undefined> {
  if (out !== undefined && write) {
    throw usageError('--out and --write exclude each other', 'Leave out one of them.');
  }
  if (out !== undefined) return path.resolve(out);
  if (!write) return undefined;
  const file = await ownFile(globals.root, to);
  if (isInside(globals.root, file)) return file;
  throw new KitError('invalid_config', `${file} leads out of the project, by a link`, {
    hint: 'Name the file to write to with --out FILE.',
  });
}

/** The file that a host reads in the project: the one that is there, else the one it is called most often. */
async function ownFile(root: string, to: Form): Promise<string> {
  const surroundings = { root, home: home(), platform: process.platform, env: process.env };
  const own = hosts.find(({ id }) => id === to.id)?.where(surroundings) ?? [];
  const files = own.filter(({ scope }) => scope === 'project').flatMap(({ files: named }) => named);
  const [usual] = files;
  if (usual === undefined) {
    const hint = 'Name the file to write to with --out FILE.';
    throw usageError(`${to.title} has no file in a project`, hint);
  }
  for (const file of files) if (await exists(file)) return file;
  return usual;
}

function exists(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

/** What is in the file now; nothing when there is none. */
async function textOf(file: string): Promise<string | undefined> {
  if (!(await exists(file))) return undefined;
  // A link could lead anywhere, and whoever wrote the project put it there.
  if ((await lstat(file)).isSymbolicLink()) {
    throw new KitError('invalid_config', `${file} is a link, which is not written through`, {
      hint: 'Name the file that it points to with --out FILE.',
    });
  }
  return readFile(file, 'utf8');
}

/** Adds servers to a file, one process at a time. */
async function convertInto(
  file: string,
  entries: readonly ServerEntry[],
  to: DialectId,
): Promise<Conversion> {
  const convert = async (): Promise<Conversion> => {
    const into = await textOf(file);
    const conversion = await convertConfig(entries, to, { into, file });
    if (conversion.text !== into) await replaceFile(file, conversion.text, await modeOf(file));
    return conversion;
  };
  return whileChanging(file, convert, 0o777);
}

function modeOf(file: string): Promise<number> {
  return stat(file).then(
    (stats) => stats.mode & 0o777,
    () => 0o644,
  );
}
