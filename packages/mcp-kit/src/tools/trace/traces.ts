import { hideSecrets, isSecretName } from '#base';
import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '#protocol';

/** A part of a call. */
export interface Span {
  readonly name: string;
  /** The place of the part it belongs to in the list of spans; -1 for the call itself. */
  readonly parent: number;
  /** From the beginning of the call. */
  readonly startMs: number;
  /** Nothing while it is still under way: a call may be answered before all its parts are done. */
  durationMs: number | null;
  /** The code it failed with. */
  error?: string | undefined;
}

/** What is remembered of one call. */
export interface Trace {
  readonly traceId: string;
  readonly tool: string;
  readonly timestamp: string;
  readonly durationMs: number;
  readonly success: boolean;
  readonly errorCode: string | null;
  readonly argsSummary: Readonly<Record<string, unknown>>;
  /** Where the call was part of something larger: its own place there, and that of its caller. */
  readonly spanId?: string | undefined;
  readonly parentSpanId?: string | undefined;
  readonly spans?: readonly Span[] | undefined;
  readonly clientTag?: string | undefined;
  readonly dryRun?: true | undefined;
  /** The answer is that of an earlier call with the same key. */
  readonly replayed?: true | undefined;
}

const shownCharacters = 120;

/** The latest calls of each caller; the oldest make room. */
export interface Traces {
  /** Remembers a call of a caller, at the expense of an account: its own, unless one asks on behalf of several. */
  add(trace: Trace, principal?: string, account?: string): void;
  /** By the id of the call, or by that of the whole trace, also as W3C writes it: then its latest call. */
  find(traceId: string, principal?: string): Trace | undefined;
  /** The calls of a caller, the latest first; of nobody in particular where callers are not told apart. */
  list(principal?: string): readonly Trace[];
}

interface Kept {
  readonly trace: Trace;
  readonly principal: string | undefined;
}

/** Remembers calls up to a number, each account's within its share when there is no more room, and hands each on to `sink`. */
export function createTraces(limit = 300, sink?: (trace: Trace) => void): Traces {
  /** The oldest first. */
  const byAccount = new Map<string | undefined, Kept[]>();
  let count = 0;
  /** Whoever calls much makes room for itself: others lose nothing of what is their share. */
  const makeRoom = (account: string | undefined, own: readonly Kept[]): void => {
    const share = limit / byAccount.size;
    let from = account;
    if (own.length <= Math.max(1, share)) {
      for (const [other, kept] of byAccount) {
        if (kept === own || kept.length <= share) continue;
        from = other;
        break;
      }
    }
    const kept = byAccount.get(from);
    kept?.shift();
    count -= 1;
    if (kept?.length === 0) byAccount.delete(from);
  };
  /** Whose calls are with which account nobody needs to know: there are few in all. */
  const newestFirst = (principal?: string): Trace[] =>
    [...byAccount.values()].flatMap((kept) =>
      kept.flatMap((one) => (one.principal === principal ? [one.trace] : [])).toReversed(),
    );
  return {
    add(trace, principal, account = principal) {
      const own = byAccount.get(account) ?? [];
      if (own.length === 0) byAccount.set(account, own);
      own.push({ trace, principal });
      count += 1;
      if (count > limit) makeRoom(account, own);
      sink?.(trace);
    },
    find: (traceId, principal) => findTrace(newestFirst(principal), traceId),
    list: newestFirst,
  };
}

/** The call with this id among traces that are listed the latest first; or the first that is part of this trace, also as W3C writes it. */
export function findTrace(traces: readonly Trace[], id: string): Trace | undefined {
  const wanted = /^[0-9a-f]{32}$/.test(id) ? `trc_${id}` : id;
  return (
    traces.find(({ traceId }) => traceId === wanted) ??
    traces.find(({ traceId }) => traceId.startsWith(`${wanted}_`))
  );
}

/** The first of traces that are listed the latest first, or the one that took longest; whoever asks for it is left out. */
export function pickTrace(traces: readonly Trace[], which: 'last' | 'slowest'): Trace | undefined {
  const asked = traces.filter(({ tool }) => !diagnosticNames.has(tool));
  if (which === 'last') return asked[0];
  return asked.reduce<Trace | undefined>(
    (slowest, trace) =>
      slowest === undefined || trace.durationMs > slowest.durationMs ? trace : slowest,
    undefined,
  );
}

/** Arguments in short: enough to recognise a call, too little to copy it; nothing of what is secret. */
export function summarise(
  args: Readonly<Record<string, unknown>>,
  isSecret: (name: string) => boolean = () => false,
): Record<string, unknown> {
  const summary: Record<string, unknown> = {};
  let left = shownArguments;
  for (const name of Object.keys(args)) {
    left -= 1;
    if (left < 0) break;
    summary[shorten(name)] = isSecret(name) ? redacted : brief(args[name]);
  }
  return summary;
}

const shownArguments = 50;
const redacted = '[redacted]';

function shorten(text: string): string {
  return text.length <= shownCharacters ? text : `${text.slice(0, shownCharacters)}…`;
}

function brief(value: unknown): unknown {
  if (typeof value === 'string') {
    // Only what would be shown: the rest may be megabytes.
    const shown = shorten(value);
    return hideSecrets(shown, redacted) === shown ? shown : redacted;
  }
  if (Array.isArray(value)) return `array(${value.length})`;
  if (isRecord(value)) return `object(${Object.keys(value).length})`;
  return value;
}

/** The names of the tools that tell about tools and calls. */
export const diagnosticNames: ReadonlySet<string> = new Set([
  'get_tool_manifest',
  'get_trace_by_id',
]);

/** Tells which arguments of a tool must not be shown: by what their schema says, and by their names. */
export function secretsOf(schema: JsonSchema): (name: string) => boolean {
  const { properties } = schema;
  const known = new Map<string, boolean>();
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
    const hidden =
      isRecord(property) && (property['writeOnly'] === true || property['format'] === 'password');
    known.set(name, hidden || isSecretName(name));
  }
  return (name) => known.get(name) ?? isSecretName(name);
}
