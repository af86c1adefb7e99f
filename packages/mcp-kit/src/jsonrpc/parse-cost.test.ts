import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { defaultLimits, parseMessage } from './parse.ts';

const most = 16 * 1024 * 1024;

const repeated = (unit: string, bytes: number = most) =>
  unit.repeat(Math.floor(bytes / Buffer.byteLength(unit)));

const joined = (count: number, part: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => part(at)).join(',');

const cpuOf = (work: () => void): number => {
  const started = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(started);
  return user + system;
};

/** The least CPU time of a few tries beside that of another work, by turns: the machine is not as fast at all times. */
function ratio(work: () => void, beside: () => void): number {
  let [least, other] = [Infinity, Infinity];
  for (let tries = 0; tries < 5; tries += 1) {
    other = Math.min(other, cpuOf(beside));
    least = Math.min(least, cpuOf(work));
  }
  return least / other;
}

const plain = JSON.stringify([repeated('x')]);

/** What it costs to read a message, beside what Node takes at least for one of the largest size. */
function cost(text: string): number {
  const bytes = Buffer.from(text);
  return ratio(
    () => parseMessage(bytes, defaultLimits),
    () => JSON.parse(plain),
  );
}

test.each([
  ['digits', () => `[${repeated('1')}]`],
  ['spaces', () => `[${repeated(' ')}]`],
  ['brackets', () => `[${repeated(']')}`],
  ['quotes', () => repeated('"')],
  ['characters that are not all ASCII', () => `["${repeated('x')}é"]`],
  ['long numbers', () => `[${joined(90_000, () => '7'.repeat(160))}]`],
  ['names', () => `{${joined(90_000, (at) => `"${at}${'x'.repeat(150)}":1`)}}`],
  ['short names', () => `{${joined(90_000, (at) => `"${at}x":1`)}}`],
  // V8 tells names of more than 16,383 characters from each other by comparing them all.
  [
    'names of one length',
    () => `{${joined(900, (at) => `"${'x'.repeat(17_000)}${1000 + at}":1`)}}`,
  ],
])('too many %s are refused at less cost than they have', (_, text) => {
  expect(parseMessage(Buffer.from(text()), defaultLimits)).toMatchObject({ ok: false });
  expect(cost(text())).toBeLessThan(4);
});

test.each([
  ['Latin letters', 'é'],
  ['Chinese whose code has the byte of a quote', '漢'],
  ['what begins as an escape does', 'u0'],
  ['what begins as __proto__ does', '_'],
  ['escaped lines', '\\n'],
])('a text of %s costs little more than a plain one', (_, unit) => {
  const text = `["${repeated(unit)}"]`;
  expect(parseMessage(Buffer.from(text), defaultLimits)).toMatchObject({ ok: true });
  expect(cost(text)).toBeLessThan(5);
});

test.each([
  ['quotes', '"'],
  ['backslashes', '\\'],
  ['JSON in a string', '{"name":"x","tags":["a","b"]},'],
])('reading costs little beside parsing: %s', (_, unit) => {
  const text = JSON.stringify([unit.repeat(8_000_000 / unit.length)]);
  const bytes = Buffer.from(text);
  const read = (): void => void parseMessage(bytes, defaultLimits);
  expect(ratio(read, () => JSON.parse(text))).toBeLessThan(3);
});
