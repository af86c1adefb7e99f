import { expect, test } from 'vitest';
import { getTextStatistics } from '../../packages/mcpctl/src/samples/text.ts';

const run = getTextStatistics.run as (args: { text: string }, context: object) => Promise<unknown>;

const statistics = async (text: string): Promise<unknown> =>
  run({ text }, { signal: new AbortController().signal });

function segments(text: string, granularity: 'grapheme' | 'word' | 'sentence') {
  return [...new Intl.Segmenter(undefined, { granularity }).segment(text)];
}

test('a text is counted in pieces as it is in one', async () => {
  const parts = [
    'Hello world. ',
    '世界。',
    'e\u0301',
    '👨‍👩‍👧',
    '\r\n',
    '12.5 ',
    'e.g. this ',
    '🇫🇷🇩🇪',
    '\n\n',
  ];
  for (let seed = 1; seed <= 20; seed += 1) {
    let text = '';
    for (let at = seed; text.length < 1200; at = (at * 31 + seed) % 1009) {
      text += parts[at % parts.length];
    }
    expect(await statistics(text)).toMatchObject({
      characters: segments(text, 'grapheme').length,
      words: segments(text, 'word').filter(({ isWordLike }) => isWordLike).length,
      sentences: segments(text, 'sentence').filter(({ segment }) => segment.trim() !== '').length,
    });
  }
});

test.each(['a', 'ab. ', '世', 'a\u0301', '\n', ' '])(
  'a hundred thousand characters of %j take little memory, and others are served in between',
  async (part) => {
    const text = part.repeat(100_000 / part.length);
    const before = process.cpuUsage();
    const heapBefore = process.memoryUsage().heapUsed;
    let turns = 0;
    const turning = setInterval(() => (turns += 1));
    await statistics(text);
    clearInterval(turning);
    const grown = process.memoryUsage().heapUsed - heapBefore;
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1000).toBeLessThan(2000);
    expect(grown).toBeLessThan(200 * 1024 * 1024);
    expect(turns).toBeGreaterThan(1);
  },
);
