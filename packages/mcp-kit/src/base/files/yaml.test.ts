import { expect, test } from 'vitest';
import { readYaml } from './yaml.ts';

const limits = { maxLength: 256 * 1024, maxAliases: 100 };

test.each<[string, unknown]>([
  ['a: 1\nb: [x, {c: null}]', { a: 1, b: ['x', { c: null }] }],
  ['- &a x\n- *a', ['x', 'x']],
  ['', null],
])('%j says %j', async (text, value) => {
  expect(await readYaml(text, limits)).toEqual({ value });
});

test.each([
  ['a: 1\na: 2', 'DUPLICATE_KEY', 5],
  ['x: {a: 1, b: 1, a: 2}', 'DUPLICATE_KEY', 16],
  ['- a: 1\n  "a": 2', 'DUPLICATE_KEY', 9],
  ['a: [', 'BAD_INDENT', 4],
  ['- *nowhere', 'BAD_ALIAS', 0],
  ['x'.repeat(limits.maxLength + 1), 'more than 262144 characters', 262_144],
])('%.20j is wrong: %s', async (text, what, offset) => {
  const reading = await readYaml(text, limits);
  expect(reading).toMatchObject({ fault: { what } });
  expect('fault' in reading && reading.fault.offset).toBeLessThanOrEqual(offset);
});

test.each([
  ['keys', Array.from({ length: 20_000 }, (_, at) => `k${at}: 1\n`).join('')],
  ['numbers', `[${'1,'.repeat(100_000)}]`],
  ['lines', '\n'.repeat(200_000)],
  // The parser alone never ends here.
  ['keys of keys', '? '.repeat(100_000)],
])('too many %s are refused before they are parsed', async (_, text) => {
  expect(await readYaml(text, limits)).toMatchObject({ fault: { what: 'more than 8000 tokens' } });
});

test('the place of what is too much is told', async () => {
  const text = 'a: "x"\n'.repeat(5000);
  const reading = await readYaml(text, limits);
  // A line has six tokens.
  expect('fault' in reading && Math.floor(reading.fault.offset / 7)).toBe(Math.floor(8000 / 6));
});

test('a long configuration is read', async () => {
  const server = (at: number) =>
    `  server-${at}:\n    command: npx\n    args: [-y, "@scope/name@1.0.0"]\n    env:\n      TOKEN: "\${TOKEN}"\n    enabled: true # always\n`;
  const text = `mcpServers:\n${Array.from({ length: 150 }, (_, at) => server(at)).join('')}`;
  expect(text.split('\n').length).toBeGreaterThan(900);
  expect(await readYaml(text, limits)).toHaveProperty('value');
});

test('what is nested too deeply is wrong, not an exception', async () => {
  for (const text of ['- '.repeat(3900), '['.repeat(3000) + ']'.repeat(3000), '? '.repeat(3900)]) {
    expect(await readYaml(text, limits)).toHaveProperty('fault');
  }
});
