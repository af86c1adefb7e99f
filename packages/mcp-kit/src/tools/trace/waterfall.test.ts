import { expect, test } from 'vitest';
import type { Trace } from './traces.ts';
import { renderTrace } from './waterfall.ts';

const trace: Trace = {
  traceId: 'trc_1',
  tool: 'set_note_text',
  timestamp: '2026-01-01T00:00:00.000Z',
  durationMs: 100,
  success: false,
  errorCode: 'E_TIMEOUT',
  argsSummary: { name: 'milk' },
  clientTag: 'run 7',
  spans: [
    { name: 'validate', parent: -1, startMs: 0, durationMs: 10 },
    { name: 'apply', parent: -1, startMs: 10, durationMs: 90, error: 'E_TIMEOUT' },
    { name: 'upstream', parent: 1, startMs: 50, durationMs: null },
  ],
};

test('a trace is drawn as bars over time, parts below what they are part of', () => {
  expect(renderTrace(trace, 60).split('\n')).toEqual([
    'trc_1 2026-01-01T00:00:00.000Z E_TIMEOUT, tag run 7',
    'arguments {"name":"milk"}',
    'set_note_text     100 ms █████████████████████████████████',
    '  validate         10 ms ███',
    '  apply            90 ms    ██████████████████████████████ E_TIMEOUT',
    '    upstream       50 ms                 █████████████████ still running',
  ]);
});

test('no line is longer than it may be, whatever the trace', () => {
  const long = { ...trace, tool: 'x'.repeat(100), spans: [], argsSummary: {} };
  const [, , ...bars] = renderTrace(long, 80).split('\n');
  for (const line of bars) expect(line.length).toBeLessThanOrEqual(90);
  expect(renderTrace({ ...long, durationMs: 0 })).toContain('█');
});
