import { usageError } from '../args.ts';
import { helpHint } from '../help.ts';

/** What is said about a server besides what it is. */
export interface Settings {
  /** The options that were given, of those that are for some kinds of servers only. */
  readonly given: readonly SettingOption[];
  readonly env: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  readonly type: 'http' | 'sse' | undefined;
  /** Answers to what a server of the registry asks for. */
  readonly answers: Readonly<Record<string, string>>;
  /** Which way to have a server of the registry. */
  readonly from: 'remote' | 'package' | undefined;
  /** Where the registry is; the official one by default. */
  readonly registry: string | undefined;
  /** The version in the registry; the latest by default. */
  readonly version: string | undefined;
}

/** The options of `add` that are for some kinds of servers only. */
export const settingOptions = [
  'env',
  'header',
  'cwd',
  'type',
  'set',
  'from',
  'registry',
  'server-version',
] as const;

type SettingOption = (typeof settingOptions)[number];

const ofRegistry: readonly SettingOption[] = ['set', 'from', 'registry', 'server-version'];

/** The options that each kind of server takes. */
const taken = {
  'a command': ['env', 'cwd'],
  'a URL': ['header', 'type'],
  'a socket': [],
  'what is pasted': [],
  'a package of the registry': ['env', 'cwd', ...ofRegistry],
  'a URL of the registry': ['header', ...ofRegistry],
} as const satisfies Readonly<Record<string, readonly SettingOption[]>>;

/** Refuses an option that would be lost without a word. */
export function checkSettings(kind: keyof typeof taken, { given }: Settings): void {
  const options: readonly SettingOption[] = taken[kind];
  const stray = given.find((option) => !options.includes(option));
  if (stray === undefined) return;
  const names = options.map((option) => `--${option}`).join(', ');
  throw usageError(
    `--${stray} is not for ${kind}`,
    `${names === '' ? 'Leave it out.' : `There are ${names}.`} ${helpHint('add')}`,
  );
}
