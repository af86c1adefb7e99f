import { hideSecrets, withoutSecrets } from 'mcp-kit/internal';
import { expect, test } from 'vitest';
import { harmlessTexts, secretTexts } from '../support/secret-texts.ts';

test('there are more than thirty kinds', () => {
  expect(secretTexts.length).toBeGreaterThan(70);
});

test.each(secretTexts)('$what: not shown', ({ secret, text }) => {
  const shown = hideSecrets(text, '***');
  expect(shown).not.toContain(secret);
  expect(shown).toContain('***');
  // What is around it stays.
  expect(shown.length).toBeGreaterThan((text.length - secret.length) / 4);
  expect(hideSecrets(shown, '***')).toBe(shown);
  // In JSON that is a text of JSON, as messages have it.
  const [within] = JSON.parse(hideSecrets(JSON.stringify([text]), '***')) as [string];
  expect(within).not.toContain(secret);
  expect(JSON.stringify(withoutSecrets({ deep: [{ text }] }))).not.toContain(secret);
});

test.each(harmlessTexts)('stays: %j', (text) => {
  expect(hideSecrets(text, '***')).toBe(text);
});

/** What can make an expression go back, or begin in vain, once for each place in a text. */
const pieces = [
  'Bearer ',
  'basic ',
  'token ',
  'a=',
  '?a=',
  '&key=',
  '://',
  'x://',
  'x://a@',
  'eyJ',
  'sk-',
  ' ',
  '@',
  '.',
  ',',
  '"',
  '\\',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  'password is ',
  'password: ',
  'password="',
  '\\"',
  'token',
  'tokena.',
  '<password>',
  'login a password ',
  'Cookie: ',
  'Cookie: a=',
  '--token ',
  '-u a:',
  'Authorization: Digest ',
  'a-',
  'M',
  '1:AA',
  'Authorization: Digest a="',
  'https://hooks.slack.com/services/',
  'a=>',
  '=',
  "':'",
  'SG.',
  'dp.pt.',
  'A',
  '\n',
  '{"token":"',
];

test.each(pieces)('many times %j takes time that grows with their number', (piece) => {
  const cost = (count: number): number => {
    const text = `=${piece.repeat(count)}`;
    const before = process.cpuUsage();
    hideSecrets(text, '***');
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  // The square of the length would be 400 times as much; a pass of the garbage collector may be a few milliseconds.
  const [one, many] = [
    Math.min(cost(1000), cost(1000), cost(1000)),
    Math.min(cost(20_000), cost(20_000)),
  ];
  expect(many).toBeLessThan(100 * one + 20_000);
});
