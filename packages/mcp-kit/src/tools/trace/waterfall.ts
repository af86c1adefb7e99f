import type { Span, Trace } from './traces.ts';

const leastWidth = 20;

/** Draws a call and its parts as bars over time, for a terminal of a number of columns. */
export function renderTrace(trace: Trace, columns = 80): string {
  const spans = trace.spans ?? [];
  const endMs = Math.max(0.001, trace.durationMs, ...spans.map(endOf));
  const rows = [
    { label: trace.tool, startMs: 0, durationMs: endMs, note: '' },
    ...inOrder(spans).map(({ span, depth }) => ({
      label: `${'  '.repeat(depth)}${span.name}`,
      startMs: span.startMs,
      durationMs: span.durationMs ?? endMs - span.startMs,
      note: span.durationMs === null ? 'still running' : (span.error ?? ''),
    })),
  ];
  const labelWidth = Math.min(36, Math.max(...rows.map(({ label }) => label.length)));
  const width = Math.max(leastWidth, columns - labelWidth - 14);
  const lines = rows.map(({ label, startMs, durationMs, note }) => {
    const from = Math.min(width - 1, Math.floor((startMs / endMs) * width));
    const length = Math.max(1, Math.round((durationMs / endMs) * width));
    const bar = `${' '.repeat(from)}${'█'.repeat(Math.min(length, width - from))}`;
    const time = `${durationMs.toFixed(durationMs < 10 ? 2 : 0)} ms`.padStart(10);
    return `${fit(label, labelWidth)} ${time} ${bar}${note === '' ? '' : ` ${note}`}`.trimEnd();
  });
  return [...heading(trace), ...lines].join('\n');
}

function heading(trace: Trace): readonly string[] {
  const { traceId, timestamp, success, errorCode, dryRun, replayed, clientTag } = trace;
  const marks = [success ? 'ok' : (errorCode ?? 'failed')];
  if (dryRun) marks.push('dry run');
  if (replayed) marks.push('replayed');
  if (clientTag !== undefined) marks.push(`tag ${clientTag}`);
  const args = JSON.stringify(trace.argsSummary);
  return [`${traceId} ${timestamp} ${marks.join(', ')}`, `arguments ${args}`];
}

function endOf({ startMs, durationMs }: Span): number {
  return startMs + (durationMs ?? 0);
}

interface Placed {
  readonly span: Span;
  readonly depth: number;
}

/** Parts after what they are part of. */
function inOrder(spans: readonly Span[], parent = -1, depth = 1): readonly Placed[] {
  return spans.flatMap((span, index) =>
    span.parent === parent ? [{ span, depth }, ...inOrder(spans, index, depth + 1)] : [],
  );
}

function fit(label: string, width: number): string {
  return label.length <= width ? label.padEnd(width) : `${label.slice(0, width - 1)}…`;
}
