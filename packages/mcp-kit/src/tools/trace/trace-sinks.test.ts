import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  findOpenTelemetry,
  openTelemetrySink,
  parseTraces,
  traceFile,
  type OpenTelemetryApi,
} from './trace-sinks.ts';
import { createTraces, type Trace } from './traces.ts';

const trace = (traceId: string, more: object = {}): Trace => ({
  traceId,
  tool: 'set_note_text',
  timestamp: '2026-01-01T00:00:00.000Z',
  durationMs: 100,
  success: true,
  errorCode: null,
  argsSummary: {},
  ...more,
});

function folder(): string {
  const made = mkdtempSync(path.join(tmpdir(), 'mcp-kit-traces-'));
  onTestFinished(() => rmSync(made, { recursive: true }));
  return made;
}

test('a trace file has a line for each call, and only its owner may read it', async () => {
  const file = path.join(folder(), 'traces.ndjson');
  const out = traceFile(file);
  const traces = createTraces(2, out.sink);
  for (const id of ['a', 'b', 'c']) traces.add(trace(id));
  await out.close();
  const text = readFileSync(file, 'utf8');
  expect(parseTraces(text).map(({ traceId }) => traceId)).toEqual(['a', 'b', 'c']);
  expect(statSync(file).mode & 0o077).toBe(0);
  expect(out.dropped).toBe(0);
});

test('a file that cannot be written loses traces, and nothing else', async () => {
  const out = traceFile(path.join(folder(), 'no', 'such', 'folder'));
  let sent = 0;
  await vi.waitFor(
    () => {
      out.sink(trace('a'));
      sent += 1;
      expect(out.dropped).toBe(sent);
    },
    { timeout: 30_000 },
  );
  await out.close();
});

const idsIn = (file: string): readonly string[] =>
  parseTraces(readFileSync(file, 'utf8')).map(({ traceId }) => traceId);

test.each(['moved away', 'deleted', 'replaced'])(
  'a file that is %s is begun anew soon, and nothing that was written is cut',
  async (how) => {
    const file = path.join(folder(), 'traces.ndjson');
    const out = traceFile(file);
    out.sink(trace('first'));
    await expect.poll(() => idsIn(file)).toEqual(['first']);
    if (how === 'deleted') rmSync(file);
    else renameSync(file, `${file}.1`);
    if (how === 'replaced') writeFileSync(file, '');
    let sent = 0;
    await vi.waitFor(
      () => {
        out.sink(trace(`later ${(sent += 1)}`));
        expect(idsIn(file)).toContain(`later ${sent - 1}`);
      },
      { timeout: 30_000, interval: 20 },
    );
    await out.close();
    expect(out.dropped).toBe(0);
    const before = how === 'deleted' ? [] : idsIn(`${file}.1`);
    const all = [...before, ...idsIn(file)];
    const later = Array.from({ length: sent }, (_, n) => `later ${n + 1}`);
    expect(all).toEqual(how === 'deleted' ? later.slice(-all.length) : ['first', ...later]);
  },
);

test('a file that could not be written is tried again', async () => {
  const place = path.join(folder(), 'late');
  const file = path.join(place, 'traces.ndjson');
  const out = traceFile(file);
  out.sink(trace('lost'));
  await expect.poll(() => out.dropped).toBe(1);
  mkdirSync(place);
  await vi.waitFor(
    () => {
      out.sink(trace('kept'));
      expect(idsIn(file)).toContain('kept');
    },
    { timeout: 30_000, interval: 50 },
  );
  await out.close();
  const { dropped } = out;
  out.sink(trace('after the end'));
  expect(out.dropped).toBe(dropped + 1);
});

test('lines that are no traces are left out', () => {
  const text = `${JSON.stringify(trace('a'))}\n{"traceId":"b"}\nnot json\n{"traceId":"c"`;
  expect(parseTraces(text).map(({ traceId }) => traceId)).toEqual(['a']);
});

test.each([
  { durationMs: -1 },
  { durationMs: 'long' },
  { tool: 7 },
  { timestamp: undefined },
  { argsSummary: null },
  { spans: {} },
  { spans: [null] },
  { spans: [{ name: 'run', parent: -1, startMs: -5, durationMs: 1 }] },
  { spans: [{ name: 'run', parent: -1, startMs: 0 }] },
])('a line with %j is no trace', (more) => {
  expect(parseTraces(`${JSON.stringify(trace('a', more))}\n`)).toEqual([]);
});

/** Records what would be reported. */
function fakeApi(): { api: OpenTelemetryApi; spans: object[] } {
  const spans: object[] = [];
  const api: OpenTelemetryApi = {
    ROOT_CONTEXT: 'root',
    trace: {
      getTracer: () => ({
        startSpan(name, options, context) {
          const span = { name, ...options, context, status: 'ok', endMs: 0 };
          spans.push(span);
          return {
            setStatus: ({ message }) => Object.assign(span, { status: message }),
            end: (endMs) => Object.assign(span, { endMs }),
          };
        },
      }),
      setSpan: (_context, _span) => `in ${spans.length}`,
      setSpanContext: (_context, spanContext) => spanContext,
    },
  };
  return { api, spans };
}

test('OpenTelemetry gets a span for the call and one for each part, under its caller', () => {
  const { api, spans } = fakeApi();
  const w3c = '0af7651916cd43dd8448eb211c80319c';
  openTelemetrySink(api)(
    trace(`trc_${w3c}_00f067aa0ba902b7`, {
      parentSpanId: 'b7ad6b7169203331',
      success: false,
      errorCode: 'E_CONFLICT',
      spans: [
        { name: 'apply', parent: -1, startMs: 10, durationMs: 50 },
        { name: 'upstream', parent: 0, startMs: 20, durationMs: 30, error: 'E_CONFLICT' },
      ],
    }),
  );
  const beginMs = Date.parse('2026-01-01T00:00:00.000Z');
  expect(spans).toMatchObject([
    {
      name: 'tools/call set_note_text',
      startTime: beginMs,
      endMs: beginMs + 100,
      status: 'E_CONFLICT',
      context: { traceId: w3c, spanId: 'b7ad6b7169203331' },
    },
    { name: 'apply', context: 'in 1', startTime: beginMs + 10, endMs: beginMs + 60, status: 'ok' },
    { name: 'upstream', context: 'in 2', status: 'E_CONFLICT' },
  ]);
});

test('the API package is found where it is installed', () => {
  const at = folder();
  const home = path.join(at, 'node_modules/@opentelemetry/api');
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, 'index.js'), 'exports.ROOT_CONTEXT = 1; exports.trace = {};');
  expect(findOpenTelemetry(path.join(at, 'program.js'))).toMatchObject({ ROOT_CONTEXT: 1 });
  expect(findOpenTelemetry(path.join(tmpdir(), 'program.js'))).toBeUndefined();
});
