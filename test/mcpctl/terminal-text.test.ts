import { assert, nat, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  plainField,
  plainLine,
  plainParagraph,
  plainText,
} from '../../packages/mcpctl/src/terminal/plain-text.ts';
import { maskSecrets, rememberSecret } from '../../packages/mcpctl/src/terminal/secrets.ts';
import { columnsOf, createStyle, wantsColor } from '../../packages/mcpctl/src/terminal/style.ts';
import { table } from '../../packages/mcpctl/src/terminal/table.ts';
import { traceLine } from '../../packages/mcpctl/src/terminal/trace.ts';
import { displayWidth, fit, pad } from '../../packages/mcpctl/src/terminal/width.ts';
import { cpuMs } from '../support/cpu-time.ts';

const escape = '\u001B';

describe('text of others', () => {
  test.each([
    ['moves the cursor', `a${escape}[2J`, String.raw`a\u001b[2J`],
    ['sets the title', `${escape}]0;owned\u0007`, String.raw`\u001b]0;owned\u0007`],
    ['uses the 8-bit form', '\u009B31m', String.raw`\u009b31m`],
    ['overwrites its line', 'safe\rrm -rf', String.raw`safe\u000drm -rf`],
    ['rings or erases', 'a\u0007b\u0008c', String.raw`a\u0007b\u0008c`],
    ['reorders', 'exe\u202Ecod.txt', String.raw`exe\u202ecod.txt`],
    ['isolates', '\u2066x\u2069', String.raw`\u2066x\u2069`],
    ['hides words in tags', 'hi\u{E0041}', String.raw`hi\udb40\udc41`],
    ['hides words in variation selectors', 'hi\u{E0101}', String.raw`hi\udb40\udd01`],
    ['has no width', 'pass\u200Bword\uFEFF', String.raw`pass\u200bword\ufeff`],
    ['joins what is no emoji', 'a\u200Db', String.raw`a\u200db`],
    ['looks blank', 'a\u3164\u2800b', String.raw`a\u3164\u2800b`],
    ['separates lines its own way', 'a\u2028b\u0085c', String.raw`a\u2028b\u0085c`],
    ['is half a character', 'a\uD800b', String.raw`a\ud800b`],
  ])('that %s is shown and does nothing', (_what, hostile, shown) => {
    expect(plainText(hostile)).toBe(shown);
  });

  test.each([
    ['lines and tabs', 'one\n\ttwo'],
    ['words of other languages', 'Größe 日本語 عربي हिन्दी क्ष'],
    ['joiners within words', 'می\u200Cخواهم क्\u200Dष'],
    ['emoji, also of several', '👍🏽 👨‍👩‍👧 ❤️ 🏳️‍🌈'],
    ['combined letters', 'e\u0301 ạ̈'],
  ])('keeps %s', (_what, text) => {
    expect(plainText(text)).toBe(text);
  });

  test('cannot pile marks over the lines around it', () => {
    const piled = `e${'\u0301'.repeat(50)}`;
    expect(plainText(piled)).toBe(`e${'\u0301'.repeat(8)}${String.raw`\u0301`.repeat(42)}`);
  });

  test('on one line has only blanks between its words', () => {
    expect(plainLine('  a\r\n b\t\u2028c\u0085 ')).toBe('a b c');
    expect(plainText('a\r\nb')).toBe('a\nb');
  });

  test('of which nothing may be left out has its line breaks escaped, and one of several lines is set in', () => {
    expect(plainField(' a\r\n b\tc\u001B')).toBe(String.raw` a\u000d\n b\tc\u001b`);
    expect(plainParagraph('a\r\nb\nc\u001B')).toBe(`a\n    b\n    c${String.raw`\u001b`}`);
  });

  test('whatever it is, leaves nothing that a terminal obeys, and JSON as it was', () => {
    const harmful = /[^\P{Cc}\n\t]|[\u202A-\u202E\u2066-\u2069\uFEFF]/u;
    assert(
      property(string({ unit: 'binary', maxLength: 60 }), (text) => {
        expect(plainText(text)).not.toMatch(harmful);
        expect(plainLine(text)).not.toMatch(/[\n\t]/);
        expect(JSON.parse(plainText(JSON.stringify({ text })))).toEqual({ text });
        expect(plainText(plainText(text))).toBe(plainText(text));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the width of a line', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['ｶﾅ', 2],
    ['ｆｕｌｌ', 8],
    ['한글', 4],
    ['e\u0301', 1],
    ['👍🏽', 2],
    ['👨‍👩‍👧', 2],
    ['❤️', 2],
    ['✓ …', 3],
    ['🇫🇷🇩🇪', 4],
    ['हिन्दी', 5],
    ['각', 2],
    ['', 0],
  ])('of %j is %i cells', (text, cells) => {
    expect(displayWidth(text)).toBe(cells);
  });

  test('is never exceeded by what is fitted, and reached by what is padded', () => {
    assert(
      property(string({ unit: 'grapheme' }), nat(12), (text, cells) => {
        const line = plainLine(text);
        expect(displayWidth(fit(line, cells))).toBeLessThanOrEqual(cells);
        expect(displayWidth(pad(fit(line, cells), cells))).toBe(cells);
      }),
      { numRuns: 2000 },
    );
    expect(fit('日本語', 5)).toBe('日本…');
    expect(fit('日本語', 4)).toBe('日…');
  });
});

test('text of any length is made plain, measured and cut in time that grows with it', () => {
  const hostile = [
    `${escape}[31m`,
    '\u0301',
    '\u200D',
    '日',
    '👨\u200D',
    '\r',
    'a.',
    '?',
    '?a=',
    ' a=',
    'eyJ',
    '-',
  ];
  const timed = (text: string): number =>
    cpuMs(() => {
      const line = plainLine(text);
      fit(line, 80);
      displayWidth(line);
      maskSecrets(text);
    });
  // A second is generous for what takes some 50 ms, and a fraction of what the square of the length would take.
  const slow = hostile.filter((text) => timed(`x${text.repeat(100_000)}`) > 1000);
  expect(slow).toEqual([]);
});

describe('a table', () => {
  const rows = [
    ['echo', 'Says it again.'],
    ['日本語', 'A description that is a good deal longer than the others.'],
  ];

  test('is aligned by what is seen', () => {
    expect(table(rows, { head: ['NAME', 'WHAT'] }).split('\n')).toEqual([
      'NAME    WHAT',
      'echo    Says it again.',
      '日本語  A description that is a good deal longer than the others.',
    ]);
  });

  test('fits the terminal, keeps names whole, and says how to see all', () => {
    const text = table(rows, { columns: 40, whenCut: 'Add --verbose to see all.' });
    expect(text.split('\n')).toEqual([
      'echo    Says it again.',
      '日本語  A description that is a good de…',
      'Add --verbose to see all.',
    ]);
    expect(table(rows, { columns: 100, whenCut: 'Add --verbose.' })).not.toContain('verbose');
  });

  test('fits even where there is hardly room', () => {
    const wide = [['a'.repeat(50), 'b'.repeat(30), 'c'.repeat(90)]];
    for (const columns of [60, 80, 100]) {
      expect(displayWidth(table(wide, { columns }))).toBe(columns);
    }
  });

  test('makes cells plain, before they are measured and painted', () => {
    const { red } = createStyle({ color: true });
    const text = table([[`x${escape}[31m`, 'two\nlines']], { paint: { cells: [red] } });
    expect(text).toBe(`${escape}[31m${String.raw`x\u001b[31m`}${escape}[39m  two lines`);
  });

  test('of nothing is nothing', () => {
    expect(table([])).toBe('');
  });
});

describe('colour', () => {
  const terminal = { isTTY: true, columns: 80 };
  test.each([
    { when: 'on a terminal', screen: terminal, color: true },
    { when: 'not in a pipe', screen: {}, color: false },
    { when: 'not with NO_COLOR', env: { NO_COLOR: '1' }, color: false },
    { when: 'with an empty NO_COLOR', env: { NO_COLOR: '' }, color: true },
    { when: 'in a pipe with FORCE_COLOR', screen: {}, env: { FORCE_COLOR: '1' }, color: true },
    { when: 'with both of these', env: { FORCE_COLOR: '1', NO_COLOR: '1' }, color: true },
    { when: 'not with FORCE_COLOR=0', env: { FORCE_COLOR: '0' }, color: false },
    { when: 'not on a dumb terminal', env: { TERM: 'dumb' }, color: false },
    { when: 'not with --no-color', env: { FORCE_COLOR: '1' }, noColor: true, color: false },
  ])('$when', ({ screen = terminal, env = {}, noColor, color }) => {
    expect(wantsColor(screen, env, { noColor })).toBe(color);
  });

  test('paints nothing when it is off, and nothing is no text', () => {
    expect(createStyle({ color: false }).bold('x')).toBe('x');
    expect(createStyle({ color: true }).bold('')).toBe('');
  });

  test('lines end only on a terminal', () => {
    expect(columnsOf({ columns: 80 })).toBeUndefined();
    expect(columnsOf(terminal)).toBe(80);
    expect(columnsOf({ isTTY: true, columns: 0 })).toBe(80);
  });
});

describe('a line of the trace', () => {
  const plain = { style: createStyle({ color: false }), columns: undefined };
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } };

  test('says when, which way, whose and what', () => {
    expect(traceLine({ server: 'github', direction: 'sent', message, atMs: 1234.5 }, plain)).toBe(
      `  1.234 s → github ${JSON.stringify(message)}`,
    );
    const crossing = { server: 'x', direction: 'received', message: 1, atMs: 0 } as const;
    expect(traceLine(crossing, plain)).toBe('  0.000 s ← x 1');
  });

  test('is cut to the terminal', () => {
    const crossing = { server: 'github', direction: 'sent', message, atMs: 0 } as const;
    expect(displayWidth(traceLine(crossing, { ...plain, columns: 50 }))).toBe(50);
  });

  test('cannot drive the terminal, and stays JSON', () => {
    const hostile = { text: `${escape}[2J\u009B\u202E` };
    const line = traceLine(
      { server: 'x', direction: 'received', message: hostile, atMs: 0 },
      plain,
    );
    expect(JSON.parse(line.slice(line.indexOf('{')))).toEqual(hostile);
    expect(line).not.toMatch(/[\p{Cc}\u202E]/u);
  });
});

test('what looks like a secret is masked, and nothing else', () => {
  rememberSecret('hunter2');
  // Too short to be looked for within words.
  rememberSecret('the');
  expect(
    maskSecrets({
      headers: { Authorization: 'Bearer abc', Cookie: 'sid=1', 'X-Api-Key': 'k' },
      password: 'p',
      client_secret: 's',
      access_token: 't',
      token: 't',
      list: ['Bearer abc', 'Basic eHh4', 'plain'],
      url: 'https://me:pw@example.com/a?token=1&page=2',
      typed: 'hunter2',
      told: 'you said hunter2, and me',
      api_keys: ['k1', 'k2'],
      args: ['--token', 'abc', '--password=abc', '-v', 'API_KEY=abc'],
      log: 'sent Authorization: Bearer 0123456789abcdef to it, then sk-0123456789abcdefghij',
      signed: 'is eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmVk',
      pem: '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----',
    }),
  ).toEqual({
    headers: { Authorization: '***', Cookie: '***', 'X-Api-Key': '***' },
    password: '***',
    client_secret: '***',
    access_token: '***',
    token: '***',
    list: ['Bearer ***', 'Basic ***', 'plain'],
    url: 'https://***@example.com/a?token=***&page=2',
    typed: '***',
    told: 'you said ***, and me',
    api_keys: ['***', '***'],
    args: ['--token', '***', '--password=***', '-v', 'API_KEY=***'],
    log: 'sent Authorization: Bearer *** to it, then ***',
    signed: 'is ***',
    pem: '-----BEGIN PRIVATE KEY-----***-----END PRIVATE KEY-----',
  });
  const usual = {
    progressToken: 'p1',
    maxTokens: 5,
    nextCursor: 'c',
    text: 'the token is in the basket, a basic introduction, x=1, sk-short',
    tokens: 12,
    args: ['--port', '8000', '--token'],
    schema: { properties: { password: { type: 'string', minLength: 8 } } },
  };
  expect(maskSecrets(usual)).toEqual(usual);
});
