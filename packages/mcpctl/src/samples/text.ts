import { setImmediate as nextTurn } from 'node:timers/promises';
import { definePrompt } from 'mcp-kit/server';
import { tool } from 'mcp-kit/tools';

const text = { type: 'string', maxLength: 100_000, description: 'The text to look at.' } as const;
const count = { type: 'integer', minimum: 0 } as const;

export const getTextStatistics = tool({
  name: 'get_text_statistics',
  title: 'Text statistics',
  description: 'Counts the characters, words, sentences and lines of a text, in any language.',
  category: 'text',
  safety: 'readonly',
  annotations: { readOnlyHint: true, openWorldHint: false },
  examples: [{ input: { text: 'One sentence. And another.' } }],
  input: {
    type: 'object',
    properties: { text },
    required: ['text'],
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: { characters: count, words: count, sentences: count, lines: count },
    required: ['characters', 'words', 'sentences', 'lines'],
    additionalProperties: false,
  },
  async run(args, { signal }) {
    return {
      characters: await countSegments(args.text, { granularity: 'grapheme', signal }),
      words: await countSegments(args.text, { granularity: 'word', signal }),
      sentences: await countSegments(args.text, { granularity: 'sentence', signal }),
      lines: args.text === '' ? 0 : args.text.split(/\r\n|\r|\n/).length,
    };
  },
});

/** The segmenter copies its whole text for each segment: it gets this much at a time. */
const pieceLength = 256;
const margin = 64;
const piecesPerTurn = 64;

/** How many segments of a text are words or more than blanks, of characters all; others are served in between. */
async function countSegments(
  input: string,
  {
    granularity,
    signal,
  }: { readonly granularity: 'grapheme' | 'word' | 'sentence'; readonly signal: AbortSignal },
): Promise<number> {
  const segmenter = new Intl.Segmenter(undefined, { granularity });
  const counts = ({ segment, isWordLike }: Intl.SegmentData): boolean =>
    granularity === 'grapheme' || (isWordLike ?? segment.trim() !== '');
  let found = 0;
  let length = pieceLength;
  for (let at = 0, turn = 1; at < input.length; turn += 1) {
    if (turn % piecesPerTurn === 0) await nextTurn(undefined, { signal });
    const segments = [...segmenter.segment(input.slice(at, at + length))];
    const isEnd = at + length >= input.length;
    // What follows a piece may change its last segments; a piece with no others is tried again with more.
    const sure = segments.filter(({ index }) => isEnd || index <= length - margin);
    const next = isEnd ? undefined : sure.pop();
    found += sure.filter(counts).length;
    length = sure.length === 0 ? length * 2 : pieceLength;
    at = next === undefined ? input.length : at + next.index;
  }
  return found;
}

export const findTextMatches = tool({
  name: 'find_text_matches',
  title: 'Find in text',
  description: 'Finds every place where a phrase occurs in a text, with its line and column.',
  category: 'text',
  safety: 'readonly',
  annotations: { readOnlyHint: true, openWorldHint: false },
  examples: [{ input: { text: 'to be or not to be', phrase: 'be' } }],
  input: {
    type: 'object',
    properties: {
      text,
      phrase: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        description: 'What to find; taken literally.',
      },
      ignoreCase: { type: 'boolean', description: 'Default: false.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: 1000,
        description: 'The most places to report. Default: 100.',
      },
    },
    required: ['text', 'phrase'],
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: {
      total: { type: 'integer', minimum: 0, description: 'All places, reported or not.' },
      matches: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            line: { type: 'integer', minimum: 1 },
            column: { type: 'integer', minimum: 1 },
            context: { type: 'string', description: 'The line, shortened around the place.' },
          },
          required: ['line', 'column', 'context'],
          additionalProperties: false,
        },
      },
    },
    required: ['total', 'matches'],
    additionalProperties: false,
  },
  run(args) {
    const { limit = 100, ignoreCase = false } = args;
    const fold = (part: string): string => (ignoreCase ? part.toLowerCase() : part);
    const phrase = fold(args.phrase);
    const matches: { line: number; column: number; context: string }[] = [];
    let total = 0;
    for (const [index, line] of args.text.split('\n').entries()) {
      const folded = fold(line);
      for (
        let at = folded.indexOf(phrase);
        at >= 0;
        at = folded.indexOf(phrase, at + phrase.length)
      ) {
        total++;
        if (matches.length >= limit) continue;
        const context = line.slice(Math.max(0, at - 30), at + phrase.length + 30).trim();
        matches.push({ line: index + 1, column: at + 1, context });
      }
    }
    return { total, matches };
  },
});

const languages = [
  'Arabic',
  'Chinese',
  'English',
  'French',
  'German',
  'Hindi',
  'Japanese',
  'Spanish',
];

/** Shows arguments with completion. */
export const translateText = definePrompt({
  name: 'translate_text',
  title: 'Translate a text',
  description: 'Asks the model to translate a text.',
  arguments: [
    { name: 'text', description: 'The text to translate.', required: true },
    {
      name: 'language',
      description: 'The language to translate into. Default: English.',
      complete: (typed) =>
        languages.filter((language) => language.toLowerCase().startsWith(typed.toLowerCase())),
    },
  ],
  get: ({ text: source = '', language = 'English' }) =>
    `Translate the following text into ${language}. Answer with the translation only.\n\n${source}`,
});
