// The tools every candidate serves, defined once. A candidate turns each into its own registration: `inputSchema` is
// JSON Schema, `zod(z)` builds the same schema with zod, `run(args)` returns the text of the result.

const echo = {
  name: 'echo',
  description: 'Returns the message it was given.',
  inputSchema: {
    type: 'object',
    properties: {
      message: { type: 'string', minLength: 1 },
      repeat: { type: 'integer', minimum: 1, maximum: 10 },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['message'],
  },
  zod: (z) =>
    z.object({
      message: z.string().min(1),
      repeat: z.number().int().min(1).max(10).optional(),
      tags: z.array(z.string()).optional(),
    }),
  run: ({ message }) => message,
};

// looks like a log: quotes and newlines, so that it must be escaped in JSON
const logLine =
  '2026-11-15T10:00:00.000Z INFO "GET /index.html" status=200 bytes=5120 took=12ms agent="bench/1.0"\n';
const texts = new Map();
/** A text that looks like a log, of this size. */
export function logText(kib) {
  let text = texts.get(kib);
  if (text === undefined) {
    const rope = logLine.repeat(Math.ceil((kib * 1024) / logLine.length)).slice(0, kib * 1024);
    text = Buffer.from(rope).toString(); // flat, so that no candidate pays for flattening it
    texts.set(kib, text);
  }
  return text;
}

const large = {
  name: 'large',
  description: 'Returns a large text.',
  inputSchema: {
    type: 'object',
    properties: { kib: { type: 'integer', minimum: 1 } },
    required: ['kib'],
  },
  zod: (z) => z.object({ kib: z.number().int().min(1) }),
  run: ({ kib }) => logText(kib),
};

const size = {
  name: 'size',
  description: 'Returns how long a text is.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
  },
  zod: (z) => z.object({ text: z.string() }),
  run: ({ text }) => `${text.length} characters`,
};

const search = (n) => ({
  name: `search_${String(n).padStart(2, '0')}`,
  description: `Search the records of collection ${n} by text, with optional filters, ordering and paging.`,
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', minLength: 1, description: 'What to search for' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: 100,
        description: 'How many records to return',
      },
      cursor: { type: 'string', description: 'Where to continue' },
      order: {
        type: 'string',
        enum: ['newest', 'oldest', 'relevance'],
        description: 'Order of the records',
      },
      fields: { type: 'array', items: { type: 'string' }, description: 'Which fields to return' },
    },
    required: ['query'],
  },
  zod: (z) =>
    z.object({
      query: z.string().min(1).describe('What to search for'),
      limit: z.number().int().min(1).max(100).optional().describe('How many records to return'),
      cursor: z.string().optional().describe('Where to continue'),
      order: z.enum(['newest', 'oldest', 'relevance']).optional().describe('Order of the records'),
      fields: z.array(z.string()).optional().describe('Which fields to return'),
    }),
  run: ({ query }) => query,
});

const called = [echo, large, size];

/** The tools that are called, and realistic ones that are only listed, `count` together. */
export const benchTools = (count = called.length) => [
  ...called,
  ...Array.from({ length: count - called.length }, (_, n) => search(n)),
];
