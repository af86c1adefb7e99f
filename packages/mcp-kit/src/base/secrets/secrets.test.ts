import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSecretName } from './secret-names.ts';
import { hideSecrets } from './secrets.ts';

const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl';

const words = (text: string): string[] => text.split(' ');

describe('What goes by a name', () => {
  test.each(
    words(
      'Authorization cookie Set-Cookie X-Api-Key api_keys apiKey accessKey password passwd passphrase pwd pin auth --auth --key jwt token GITHUB_TOKEN userToken refresh_token accessTokens client_secret private-key signingKey license-key OPENAI_KEY credentials AWS_SECRET_ACCESS_KEY',
    ),
  )('%s is a secret', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  test.each(
    words(
      'progressToken nextPageToken continuation_token tokens maxTokens max_output_tokens inputTokens token_type tokenEndpoint clientSecretEnv --token-file cookiePath idempotencyKey idempotency_key public-key key keys author spin design',
    ),
  )('%s is none', (name) => {
    expect(isSecretName(name)).toBe(false);
  });
});

test('What goes by an enormous name is not shown, and the name is not searched', () => {
  expect(isSecretName(`token${'max'.repeat(1_000_000)}!`)).toBe(true);
});

describe('In a text', () => {
  test.each([
    ['Bearer abc', 'Bearer …'],
    ['Basic eHh4', 'Basic …'],
    ['Digest username="ann", response="6629"', 'Digest …'],
    ['no entry with Bearer abc.def, sorry', 'no entry with Bearer …, sorry'],
    ['Authorization: Basic YW5uOmh1bnRlcjI=', 'Authorization: Basic …'],
    ['Authorization: token 0123456789abcdef', 'Authorization: token …'],
    [`is ${jwt}.`, 'is ….'],
    ['key sk-proj-0123456789abcdef', 'key …'],
    ['ghp_0123456789abcdefghij and xoxb-0123456789-abc', '… and …'],
    ['AKIAIOSFODNN7EXAMPLE', '…'],
    ['mcpk_0123456789abcdef', '…'],
    ['-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END', '-----BEGIN RSA PRIVATE KEY-----…-----END'],
    ['postgres://ann:hunter2@host/db', 'postgres://…@host/db'],
    ['https://x/a?token=1&page=2&mapKey=3', 'https://x/a?token=…&page=2&mapKey=…'],
    ['sent Bearer secretly to it', 'sent Bearer … to it'],
    ['docker run -e API_KEY=abc --password=abc x', 'docker run -e API_KEY=… --password=… x'],
  ])('%j a secret is hidden', (text, shown) => {
    expect(hideSecrets(text, '…')).toBe(shown);
    expect(hideSecrets(shown, '…')).toBe(shown);
  });

  test.each([
    'the bearer token is missing',
    'Token expired',
    'a basic introduction to Basic input/output',
    'sk-short, x=1, key=value, a@b.example',
    'https://host:8080/a@b?page=2',
    'eyJ is how they begin',
    'progressToken=7 max_tokens=100',
  ])('%j there is none', (text) => {
    expect(hideSecrets(text, '…')).toBe(text);
  });

  test('no secret is missed for what is around it', () => {
    const around = fc.string({ unit: fc.constantFrom(' ', '\n', '"', "'", '(', ',', ':') });
    const secrets = fc.constantFrom(jwt, 'sk-0123456789abcdef', 'AKIAIOSFODNN7EXAMPLE');
    fc.assert(
      fc.property(around, secrets, around, (before, secret, after) => {
        expect(hideSecrets(`${before}${secret}${after}`, '…')).toBe(`${before}…${after}`);
      }),
    );
  });

  test.each([
    'Bearer ',
    'basic ',
    'a=',
    '?a=',
    '://',
    'x://',
    'eyJ',
    'sk-',
    '-----BEGIN ',
    ' ',
    '@',
  ])('a hundred thousand times %j does not take long', (piece) => {
    const before = process.cpuUsage();
    hideSecrets(`=${piece.repeat(100_000)}`, '…');
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(1000);
  });
});
