import { canonicalJson, digestOf } from './canonical.ts';
import type { Executable } from './executable.ts';
import type { Runs } from './runs.ts';

/** A server as far as its fingerprint goes: `ServerEntry` is one. */
export interface TrustEntry {
  readonly name: string;
  readonly transport: { readonly kind: string };
  readonly provenance: { readonly file: string; readonly dialect: string };
}

/** A tool as it was when it was approved. */
export interface PinnedTool {
  readonly digest: string;
  readonly definition: Readonly<Record<string, unknown>>;
}

/** What a server looked like to those who looked at it: may be shared. */
export interface Pin {
  readonly entryDigest: string;
  /** The entry with its secrets replaced by fingerprints: to show what has changed since. */
  readonly entry: unknown;
  /** Not there until the tools have been seen. */
  readonly tools?: Readonly<Record<string, PinnedTool>> | undefined;
}

/** The word of this user that a server may be used. */
export interface Receipt extends Pin {
  /** For servers that are programs, except those that only run others' code. */
  readonly executable?: Executable | undefined;
  /** What such a program runs. */
  readonly runs?: Runs | undefined;
  /** The fingerprint of the file that its variables come from: one of them may decide what runs. */
  readonly envFile?: string | undefined;
  /** The fingerprint of the certificates that its entry names: they decide who may answer for it. */
  readonly caFile?: string | undefined;
  /** When, in ISO 8601. */
  readonly approvedAt: string;
  readonly by: string;
}

/** What an entry says, apart from where it is written down. */
function contentOf(entry: TrustEntry): Readonly<Record<string, unknown>> {
  const { provenance, shadows: _, ...content } = entry as TrustEntry & { shadows?: unknown };
  // The same text refers to other variables in the file of another host.
  return { ...content, dialect: provenance.dialect };
}

/** All that an entry says, as one text. */
export function entryText(entry: TrustEntry): string {
  return canonicalJson(contentOf(entry));
}

/** The fingerprint of all that an entry says. */
export function entryDigest(entry: TrustEntry): string {
  return digestOf(contentOf(entry));
}

/** Members whose texts may be secrets, by name: of environments and headers, and whatever a host keeps for itself. */
const secretive: ReadonlySet<string> = new Set(['env', 'headers', 'clientSecret', 'extras']);

/** What an entry says, with a fingerprint for whatever may be a secret. */
export function snapshotOf(entry: TrustEntry): unknown {
  return masked(contentOf(entry), false);
}

function masked(value: unknown, secret: boolean): unknown {
  if (typeof value === 'string') return secret ? maskText(value) : maskQuery(value);
  if (Array.isArray(value)) return value.map((item) => masked(item, secret));
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(
    ([name, member]) => [name, masked(member, secret || secretive.has(name))] as const,
  );
  return Object.fromEntries(members);
}

/** A reference to a variable says where a secret is, not what. */
function maskText(text: string): string {
  return /^\$\{[^}]*\}$/.test(text) ? text : digestOf(text).slice(0, 19);
}

function maskQuery(text: string): string {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return text;
  const url = new URL(text);
  const rest = `${url.username}:${url.password}${url.search}${url.hash}`;
  return rest === ':' ? text : `${url.origin}${url.pathname}?${digestOf(rest).slice(0, 19)}`;
}
