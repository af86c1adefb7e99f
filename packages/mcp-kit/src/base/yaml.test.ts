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

async function cpuMsFor(keys: number): Promise<number> {
  const text = Array.from({ length: keys }, (_, at) => `k${at}: 1\n`).join('');
  const before = process.cpuUsage();
  expect(await readYaml(text, limits)).toHaveProperty('value');
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

test('twice as many keys take twice as long, not four times', async () => {
  await cpuMsFor(1000);
  const few = await cpuMsFor(4000);
  expect(await cpuMsFor(16_000)).toBeLessThan(10 * few);
});
