// What happened, and where the time went: node examples/watch-calls.mjs
// Calls a slow tool under a trace of the caller's, writes traces to a file, and draws one.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { createTraces, governed } from 'mcp-kit/tools/governed';
import { parseTraces, renderTrace, traceFile } from 'mcp-kit/tools/inspect';
import { demo } from './lib/demo.mjs';

const folder = await mkdtemp(path.join(tmpdir(), 'watch-calls-'));
const file = traceFile(path.join(folder, 'traces.ndjson'));

const findBookTitles = tool({
  name: 'find_book_titles',
  description: 'Finds books by a word of their title.',
  category: 'book',
  safety: 'readonly',
  examples: [{ input: { word: 'sea' } }],
  input: {
    type: 'object',
    properties: {
      word: { type: 'string', description: 'The word.' },
      apiToken: { type: 'string', description: 'Never to be seen in a trace.' },
    },
    required: ['word'],
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: { titles: { type: 'array', items: { type: 'string' } } },
    required: ['titles'],
  },
  async run({ word }, context) {
    await context.span('search', async (within) => {
      await within.span('index', () => sleep(20));
      await within.span('rank', () => sleep(10));
    });
    return { titles: [`The ${word}`] };
  },
});

const tools = toolSet([findBookTitles], {
  contract: governed({ traces: createTraces(100, file.sink) }),
});
const server = createServer({ name: 'books', version: '1.0.0', features: [tools] });

await demo(server, async (_call, session) => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await session.request('tools/call', {
    name: 'find_book_titles',
    arguments: { word: 'sea', apiToken: 'hush' },
    _meta: { traceparent },
  });
});
await file.close();
const text = await readFile(path.join(folder, 'traces.ndjson'), 'utf8');
await rm(folder, { recursive: true });
const [trace] = parseTraces(text);
console.log(renderTrace(trace));
const names = trace.spans.map(({ name }) => name).join();
const kept = trace.traceId.includes('0af7651916cd43dd8448eb211c80319c') && !text.includes('hush');
process.exitCode = kept && names === 'validate,run,search,index,rank' ? 0 : 1;
