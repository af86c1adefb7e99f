import { book, type Row } from '../rows.ts';

/** What was asked of one server, tool, or by one host. */
export interface Tally {
  readonly name: string;
  readonly calls: number;
  readonly notOk: number;
  readonly medianMs: number;
  readonly slowMs: number;
  readonly tokens: number;
}

/** A call that has ended. */
interface Ended {
  readonly request: Row;
  readonly answer: Row;
}

/** What hosts call for work: tools, prompts, resources. */
const work = /^(?:tools\/call|prompts\/get|resources\/read)$/;

/** The calls of hosts that have ended, in their order. */
export function endedCalls(): readonly Ended[] {
  const { rows, answers } = book();
  const found: Ended[] = [];
  for (const request of rows) {
    if (request.wire !== 'client' || request.kind !== 'request') continue;
    const answer = answers.get(request.seq);
    if (answer !== undefined && work.test(request.method ?? '')) found.push({ request, answer });
  }
  return found;
}

/** The calls put together by what they have in common, those that were called most first. */
export function tallyBy(
  calls: readonly Ended[],
  by: (call: Ended) => string | undefined,
): readonly Tally[] {
  const groups = new Map<string, Ended[]>();
  for (const call of calls) {
    const name = by(call) ?? '–';
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [call]);
    else group.push(call);
  }
  return Array.from(groups, ([name, group]) => tallyOf(name, group)).sort(
    (one, other) => other.calls - one.calls,
  );
}

export function tallyOf(name: string, group: readonly Ended[]): Tally {
  const times = group.map(({ answer }) => answer.ms ?? 0).sort((one, other) => one - other);
  const at = (share: number): number => times[Math.floor((times.length - 1) * share)] ?? 0;
  const bytes = group.reduce((sum, { request, answer }) => sum + request.bytes + answer.bytes, 0);
  return {
    name,
    calls: group.length,
    notOk: group.filter(({ answer }) => answer.outcome !== 'ok').length,
    medianMs: at(0.5),
    slowMs: at(0.95),
    tokens: Math.ceil(bytes / 4),
  };
}

/** How many calls began in each stretch of time up to now. */
export function perStretch(
  calls: readonly Ended[],
  {
    now,
    stretchMs,
    count,
  }: { readonly now: number; readonly stretchMs: number; readonly count: number },
): readonly { readonly ok: number; readonly notOk: number }[] {
  const found = Array.from({ length: count }, () => ({ ok: 0, notOk: 0 }));
  const start = now - stretchMs * count;
  for (const { request, answer } of calls) {
    const stretch = found[Math.floor((request.at - start) / stretchMs)];
    if (stretch !== undefined) stretch[answer.outcome === 'ok' ? 'ok' : 'notOk'] += 1;
  }
  return found;
}
