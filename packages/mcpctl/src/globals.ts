import { readFileSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { LoggerLevel } from 'mcp-kit/internal';
import type { EgressPolicy } from '@mcp-kit/host';
import { usageError, type OptionValues } from './args.ts';
import { readMs, readNumber } from './arguments/number.ts';
import { currentFolder } from './current-folder.ts';
import type { globalOptions, targetOptions } from './global-options.ts';
import { helpHint } from './help.ts';
import { readTarget, type Target } from './target.ts';
import { wantsColor } from './terminal/style.ts';

/** The options of every command, understood. */
export interface Globals {
  /** One JSON document instead of text for people. */
  readonly json: boolean;
  readonly quiet: boolean;
  /** Whether standard output may be coloured. */
  readonly color: boolean;
  /** Whether the user wants no colour anywhere. */
  readonly noColor: boolean;
  readonly trace: boolean;
  readonly logLevel: LoggerLevel | 'silent';
  /** The folder of the project, absolute. */
  readonly root: string;
  /** The same if the user has named it: only then are servers told of it, as some would take it for all they may use. */
  readonly namedRoot: string | undefined;
  /** The one file to read, absolute. */
  readonly configFile: string | undefined;
  readonly allowConfigOutsideRoot: boolean;
  readonly showArgv: boolean;
  readonly timeoutMs: number | undefined;
  readonly era: 'auto' | 'legacy' | 'modern';
  /** The proxy for trusted servers, or none; what the environment says, unless given. */
  readonly proxy: string | false | undefined;
  /** Certificates of those who sign for trusted servers. */
  readonly ca: string | undefined;
  readonly maxMessageBytes: number | undefined;
  /** Every server of the configuration counts as approved. */
  readonly trusted: boolean;
  readonly policy: Partial<EgressPolicy>;
  readonly allowStdoutLogOutsideRoot: boolean;
  /** The server that the user has typed, instead of one of a file. */
  readonly target: Target | undefined;
  /** What the user should know about the options given. */
  readonly warnings: readonly string[];
}

export type GlobalValues = OptionValues<typeof globalOptions & typeof targetOptions>;

/** Turns options into settings; what contradicts itself is a usage error that says what to type. */
export function readGlobals(values: GlobalValues, typed: readonly string[] | undefined): Globals {
  const root = readRoot(values.root);
  checkCombinations(values);
  return {
    json: values.json ?? false,
    quiet: values.quiet ?? false,
    color: wantsColor(process.stdout, process.env, { noColor: values['no-color'] }),
    noColor: values['no-color'] ?? false,
    trace: values.trace ?? false,
    logLevel: values['log-level'] ?? 'warn',
    root,
    namedRoot: values.root === undefined ? undefined : root,
    configFile: values.config === undefined ? undefined : path.resolve(root, values.config),
    allowConfigOutsideRoot: values['allow-config-outside-root'] ?? false,
    showArgv: values['show-argv'] ?? false,
    timeoutMs: readMs('--timeout-ms', values['timeout-ms']),
    era: values.era ?? 'auto',
    proxy: values.proxy === 'off' ? false : values.proxy,
    ca: readCertificates(values['ca-file']),
    maxMessageBytes: readBytes(values['max-message-bytes']),
    trusted: values.trust ?? false,
    policy: readPolicy(values),
    allowStdoutLogOutsideRoot: values['allow-stdout-log-outside-root'] ?? false,
    target: readTarget(values, typed),
    warnings: warningsFor(values),
  };
}

/** The folder of the user. Whoever runs this has one, also when the environment says something else or nothing. */
export function home(): string {
  const { HOME } = process.env;
  // A relative one would be a folder of the project, and what is in it would pass for the user's own.
  if (HOME !== undefined && process.platform !== 'win32' && !path.isAbsolute(HOME)) {
    return os.userInfo().homedir;
  }
  return os.homedir();
}

/** Certificates that the user names. */
function readCertificates(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw usageError(`--ca-file: ${file} cannot be read`, 'Name a file of certificates in PEM.');
  }
}

function readBytes(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const hint = 'Use a whole number of bytes, such as 67108864.';
  return readNumber('--max-message-bytes', text, { least: 1, most: 512 * 1024 * 1024, hint });
}

/** The folder that is worked in. */
function readRoot(named: string | undefined): string {
  const root = path.resolve(ownFolder(), named ?? '.');
  if (named === undefined || statSync(root, { throwIfNoEntry: false })?.isDirectory()) return root;
  throw usageError(`--root: there is no folder ${root}`, 'Name the folder of the project.');
}

/** Where we are. A name that is not UTF-8 reads as another one, of a folder that would be made. */
function ownFolder(): string {
  const folder = currentFolder();
  if (folder !== undefined && isSameFile(folder, '.')) return folder;
  throw usageError(
    'this folder cannot be worked in',
    'It was removed, or its name is not UTF-8: go to another one.',
  );
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((file) => statSync(file, { throwIfNoEntry: false }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

function readPolicy(values: GlobalValues): Partial<EgressPolicy> {
  const dnsTimeoutMs = readMs('--dns-timeout-ms', values['dns-timeout-ms']);
  const policy = {
    requireHttps: values['allow-http'] !== true,
    allowLocalhost: values['allow-localhost'] ?? false,
    allowPrivateIps: values['allow-private-ip'] ?? false,
    dnsCheck: values['no-dns-check'] !== true,
    dnsFailOpen: values['dns-fail-open'] ?? false,
    allowedHosts: (values['allow-host'] ?? []).map(readHost),
  };
  // One that is undefined would take the place of the default.
  return dnsTimeoutMs === undefined ? policy : { ...policy, dnsTimeoutMs };
}

/** A host, perhaps with a port; the policy says the rest. */
function readHost(text: string): string {
  if (/^[\w.:[\]-]+$/.test(text)) return text;
  throw usageError(
    `--allow-host cannot be ${JSON.stringify(text)}`,
    'Name a host, perhaps with a port: example.com, example.com:8443. Subdomains follow.',
  );
}

function checkCombinations(values: GlobalValues): void {
  if (values.trust && !values['yes-trust']) {
    throw usageError(
      '--trust needs --yes-trust',
      'It lets every server of the configuration run. If you mean it, add --yes-trust; to trust one server: mcpctl trust approve SERVER',
    );
  }
  if (!values['no-dns-check']) return;
  const about = (['dns-check', 'dns-timeout-ms', 'dns-fail-open'] as const).find(
    (name) => values[name] !== undefined,
  );
  if (about === undefined) return;
  throw usageError(
    `--no-dns-check and --${about} exclude each other`,
    `Leave out one of them. ${helpHint()}`,
  );
}

function warningsFor(values: GlobalValues): readonly string[] {
  const unchecked = values['no-dns-check'] === true;
  const warnings: string[] = [];
  if (values['dns-check']) {
    warnings.push(
      'NOTE: --dns-check is already the default in untrusted mode; the flag is kept for compatibility.',
    );
  }
  if (values.trust) {
    warnings.push(
      'WARNING: --trust disables the default safety restrictions.',
      '  Programs that the configuration names are started, with the variables it asks for.',
      '  Any address that it names is connected to, with the credentials it asks for.',
      '  Approve single servers instead: mcpctl trust approve SERVER',
    );
  }
  if (unchecked) warnings.push('WARNING: DNS checks are disabled (--no-dns-check).');
  if (unchecked && values['allow-host'] !== undefined) {
    warnings.push('WARNING: --allow-host is set with DNS checks disabled (--no-dns-check).');
  }
  return warnings;
}
