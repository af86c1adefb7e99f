import os from 'node:os';
import type { Manager, Receipt, ServerEntry } from '@mcp-kit/host';
import {
  dialectTitle,
  readCommandLine,
  targetOf,
  variablesOf,
  type Runs,
  type Subject,
} from '@mcp-kit/host/internal';
import type { Globals } from '../../globals.ts';
import { commandLine } from '../../shell-words.ts';
import { plainField } from '../../terminal/plain-text.ts';

/** How a server stands with its user. */
export type Standing = Awaited<ReturnType<Manager['trustOf']>>;

/** The options as they count for approvals: what the user trusts for one run is not what they have approved. */
export function byReceipts(globals: Globals): Globals {
  return { ...globals, trusted: false };
}

/** What a server would do if it were used: all that an approval is about, in full, and no value of a secret. */
export interface Proposal {
  readonly name: string;
  readonly file: string;
  readonly pointer: string;
  /** The program with its arguments. */
  readonly argv?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  /** Names of the variables that it gets, whatever their values. */
  readonly env?: readonly string[] | undefined;
  /** Those among them that make programs run other code, with their values as they are written. */
  readonly loads?: Readonly<Record<string, string>> | undefined;
  readonly envFile?: string | undefined;
  readonly inheritsEnv?: true | undefined;
  readonly url?: string | undefined;
  readonly streamUrl?: string | undefined;
  readonly socket?: string | undefined;
  /** Names of the headers that it is sent. */
  readonly headers?: readonly string[] | undefined;
  /** The proxy that it is reached through. */
  readonly proxy?: string | undefined;
  /** The file of those who may sign its certificates. */
  readonly caFile?: string | undefined;
  /** Names of the variables of this machine that it gets to see. */
  readonly reads: readonly string[];
}

/** Variables that make programs load or run something else; by their names alone an approval would be blind. */
const loading =
  /^(?:PATH|NODE_OPTIONS|NODE_PATH|LD_\w+|DYLD_\w+|PYTHON(?:PATH|STARTUP|HOME)|PERL5(?:OPT|LIB)|RUBY(?:OPT|LIB)|BASH_ENV|ENV|(?:JAVA_TOOL|JDK_JAVA)_OPTIONS|GIT_\w*(?:COMMAND|SSH|ASKPASS)\w*|npm_config_\w+)$/i;

function loadedBy(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => loading.test(name)));
}

/** Says what a server would do. */
export function proposalOf(entry: ServerEntry): Proposal {
  const { name, transport, provenance } = entry;
  const { file, pointer } = provenance;
  const reads = [...new Set(variablesOf(entry).map((use) => use.name))];
  const where = { name, file, pointer };
  if (transport.kind === 'stdio') {
    const { command, args, cwd, env, passEnv, envFile, inheritEnv } = transport;
    const loads = loadedBy(env);
    return {
      ...where,
      argv: [command, ...args],
      cwd,
      env: [...new Set([...Object.keys(env), ...passEnv])],
      loads: Object.keys(loads).length > 0 ? loads : undefined,
      envFile,
      inheritsEnv: inheritEnv ? true : undefined,
      reads,
    };
  }
  if (transport.kind === 'unix') {
    return { ...where, socket: transport.path, headers: Object.keys(transport.headers), reads };
  }
  const { url, streamUrl, headers, envHeaders, bearerTokenEnv, proxy, caFile } = transport;
  const bearer = bearerTokenEnv === undefined ? [] : ['Authorization'];
  return {
    ...where,
    url: shownUrl(entry, url),
    streamUrl: streamUrl && shownUrl(entry, streamUrl),
    headers: [...new Set([...Object.keys(headers), ...Object.keys(envHeaders), ...bearer])],
    proxy: proxy && shownUrl(entry, proxy),
    caFile,
    reads,
  };
}

/** Where a URL leads. That there is more to it is shown; what it is may be a secret. */
function shownUrl(entry: ServerEntry, url: string): string {
  const { transport } = entry;
  if (transport.kind !== 'http') return '';
  const place = targetOf({ ...entry, transport: { ...transport, url } });
  return /[?#]/.test(url) ? `${place}?…` : place;
}

/** The proposal in lines for people, each with a name. */
export function proposalLines(
  entry: ServerEntry,
): readonly (readonly [name: string, text: string])[] {
  const {
    file,
    pointer,
    argv,
    cwd,
    env,
    loads = {},
    envFile,
    url,
    streamUrl,
    socket,
    headers,
    proxy,
    caFile,
    reads,
    ...rest
  } = proposalOf(entry);
  const { dialect, scope } = entry.provenance;
  const list = (names: readonly string[] | undefined): string | undefined =>
    names === undefined || names.length === 0 ? undefined : names.join(', ');
  const lines: readonly (readonly [string, string | undefined])[] = [
    ['from', `${file}#${pointer} (${dialectTitle(dialect)}, ${scope})`],
    ['runs', argv && commandLine(argv)],
    ['in', cwd],
    ['env', rest.inheritsEnv ? 'everything in your environment' : list(env)],
    ['loads', list(Object.entries(loads).map(([name, value]) => `${name}=${value}`))],
    ['env file', envFile],
    ['connects', url],
    ['streams', streamUrl],
    ['socket', socket],
    ['headers', list(headers)],
    ['proxy', proxy],
    ['signed by', caFile && `those in ${caFile}, byte for byte`],
    ['reads', list(reads)],
  ];
  const said = lines.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]));
  return argv === undefined ? said : [...said, ...coverageLines(argv)];
}

/** What an approval of a command line would cover of what it runs, and what not. */
function coverageLines([command = '', ...args]: readonly string[]): readonly (readonly [
  string,
  string,
])[] {
  const { runners, subject } = readCommandLine(command, args);
  const covers = ['covers', `the entry, its tools, and ${coverageOf(subject)}`] as const;
  if (runners.length === 0) return [covers, ['not', 'what the program loads']];
  return [
    covers,
    ['not', `the version of ${runners.join(' and ')}, and what is imported or loaded`],
  ];
}

function coverageOf(subject: Subject): string {
  switch (subject.kind) {
    case 'program':
      return `the program ${subject.command}, byte for byte`;
    case 'files':
      return `${subject.files.map(([name]) => name).join(', ')}, byte for byte`;
    case 'package':
      return `the package ${subject.spec}${subject.of === 'npm' ? ', with its integrity where npm has noted it' : ''}`;
    case 'image':
      return `the image ${subject.image}, with its digest where the engine tells`;
    case 'text':
      return 'the program text in its arguments';
    case 'unknown':
      return 'its arguments, which do not tell what runs';
  }
}

/** What of the code that runs is part of an approval, and what cannot be. */
function runsLines({
  files = {},
  package: of,
  image,
  gaps,
}: Runs): readonly (readonly [string, string])[] {
  const covered = Object.entries(files).map(([place, { sha256 }]) => `sha256:${sha256}  ${place}`);
  if (of !== undefined) covered.push(`${of.spec}  ${of.integrity ?? 'by its name only'}`);
  if (image !== undefined) covered.push(`${image.name}  ${image.digest ?? 'by its name only'}`);
  const named = (name: string, lines: readonly string[]): readonly (readonly [string, string])[] =>
    lines.map((line, at) => [at === 0 ? name : '', line]);
  return [...named('covers', covered), ...named('not', gaps)];
}

/** The receipt in lines for people. */
export function receiptLines({
  approvedAt,
  by,
  entryDigest,
  executable,
  runs,
  envFile,
  caFile,
  tools,
}: Receipt): readonly (readonly [name: string, text: string])[] {
  const lines: (readonly [string, string])[] = [
    ['approved', `${approvedAt} by ${by}`],
    ['entry', entryDigest],
  ];
  if (executable !== undefined) {
    const { path, sha256, size } = executable;
    lines.push(['program', path], ['', `sha256:${sha256}, ${size} bytes`]);
  }
  if (runs !== undefined) lines.push(...runsLines(runs));
  if (envFile !== undefined) lines.push(['env file', envFile]);
  if (caFile !== undefined) lines.push(['signed by', caFile]);
  const pinned = Object.entries(tools ?? {});
  lines.push(['tools', tools === undefined ? 'not seen yet' : String(pinned.length)]);
  for (const [name, { digest }] of pinned) lines.push(['', `${digest}  ${name}`]);
  return lines;
}

/** Named lines below each other, the names aligned. */
export function aligned(lines: readonly (readonly [string, string])[]): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines
    .map(([name, text]) => `  ${name.padEnd(width)}  ${plainField(text)}`.trimEnd())
    .join('\n');
}

/** A verdict in words. */
export const verdicts: Readonly<Record<Standing['verdict'], string>> = {
  trusted: 'approved',
  untrusted: 'not approved',
  changed: 'changed since it was approved',
};

/** Who gives an approval. */
export function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return process.env['USER'] ?? 'unknown';
  }
}
