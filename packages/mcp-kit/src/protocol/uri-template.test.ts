import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUriTemplate } from './uri-template.ts';

const match = (template: string, uri: string) => parseUriTemplate(template).match(uri);

describe('a template matches what it expands to', () => {
  test.each([
    ['test://static', 'test://static', {}],
    ['test://template/{id}/data', 'test://template/123/data', { id: '123' }],
    ['{var}', 'value', { var: 'value' }],
    ['{hello}', 'Hello%20World%21', { hello: 'Hello World!' }],
    ['map?{x,y}', 'map?1024,768', { x: '1024', y: '768' }],
    ['{x,hello,y}', '1024,Hello%20World%21,768', { x: '1024', hello: 'Hello World!', y: '768' }],
    ['{half}', '50%25', { half: '50%' }],
    ['O{empty,x}X', 'O,1X', { empty: '', x: '1' }],
    ['{list}', 'red,green,blue', { list: 'red,green,blue' }],
    ['{list*}', 'red,green,blue', { list: 'red,green,blue' }],
    ['{var:3}', 'val', { var: 'val' }],
    ['{+path}/here', '/foo/bar/here', { path: '/foo/bar' }],
    ['here?ref={+path}', 'here?ref=/foo/bar', { path: '/foo/bar' }],
    ['{+base}index', 'http://example.com/home/index', { base: 'http://example.com/home/' }],
    ['{+x,hello}', '1024,Hello%20World!', { x: '1024', hello: 'Hello World!' }],
    ['{+path:6}/here', '/foo/b/here', { path: '/foo/b' }],
    ['{#var}', '#value', { var: 'value' }],
    ['X{#hello}', 'X#Hello%20World!', { hello: 'Hello World!' }],
    ['{#path,x}here', '#/foo/bar,1024here', { path: '/foo/bar', x: '1024' }],
    ['X{.var}', 'X.value', { var: 'value' }],
    ['X{.x,y}', 'X.1024.768', { x: '1024', y: '768' }],
    ['www{.dom*}', 'www.example.com', { dom: 'example.com' }],
    ['{/var}', '/value', { var: 'value' }],
    ['{/var,x}/here', '/value/1024/here', { var: 'value', x: '1024' }],
    ['{/list*}', '/red/green/blue', { list: 'red/green/blue' }],
    ['{/list*,path:4}', '/red/%2Ffoo', { list: 'red', path: '/foo' }],
    ['{/var:1,var}', '/v/value', { var: 'value' }],
    ['{;x,y}', ';x=1024;y=768', { x: '1024', y: '768' }],
    ['{;x,y,empty}', ';x=1024;y=768;empty', { x: '1024', y: '768', empty: '' }],
    ['{?x,y}', '?x=1024&y=768', { x: '1024', y: '768' }],
    ['{?x,y,empty}', '?x=1024&y=768&empty=', { x: '1024', y: '768', empty: '' }],
    ['{?list*}', '?list=red&list=green', { list: 'red,green' }],
    ['{?q}', '?q=a=b', { q: 'a=b' }],
    ['?fixed=yes{&x}', '?fixed=yes&x=1024', { x: '1024' }],
    ['x{?a,b}{&c}{&d}', 'x?a=1&b=2&c=3&d=4', { a: '1', b: '2', c: '3', d: '4' }],
    ['x{?a}{#f}', 'x?a=1#top', { a: '1', f: 'top' }],
    ['{__proto__}', 'x', Object.fromEntries([['__proto__', 'x']])],
  ])('%s from %s', (template, uri, values) => {
    expect(match(template, uri)).toEqual(values);
  });
});

describe('a value', () => {
  test('ends at the first place from which the rest still fits', () => {
    expect(match('{a}-{b}', 'x-y-z')).toEqual({ a: 'x', b: 'y-z' });
    expect(match('{a}.json', 'x.json.json')).toEqual({ a: 'x.json' });
    expect(match('file:///{+dir}/{name}', 'file:///a/b/c')).toEqual({ dir: 'a/b', name: 'c' });
    expect(match('{/dir*}/{name}', '/a/b/c')).toEqual({ dir: 'a/b', name: 'c' });
    expect(match('{name}{.ext}', 'x.tar.gz')).toEqual({ name: 'x', ext: 'tar.gz' });
  });

  test('may be absent where its operator would show it', () => {
    expect(match('files{/id}{.ext}{?q}{#f}', 'files')).toEqual({});
    expect(match('files{/id}{?q}', 'files?q=1')).toEqual({ q: '1' });
    expect(match('{/a}/edit', '/edit')).toEqual({});
    expect(match('x{?a,b}', 'x?b=2')).toEqual({ b: '2' });
  });

  test('is never empty where nothing would show it', () => {
    expect(match('users/{id}', 'users/')).toBeUndefined();
    expect(match('{+path}', '')).toBeUndefined();
  });

  test('that occurs twice is the same', () => {
    expect(match('{a}/{a}', 'x/x')).toEqual({ a: 'x' });
    expect(match('{a}/{a}', 'x/xy')).toBeUndefined();
    expect(match('{/var:1,var}', '/w/value')).toBeUndefined();
  });

  test.each([
    ['a path segment', 'users/{id}', 'users/1/2'],
    ['a query', 'users/{id}', 'users/1?x=1'],
    ['a fragment', 'users/{id}', 'users/1#x'],
    ['too many segments', '{/a,b}', '/1/2/3'],
    ['more than its prefix', '{a:3}', 'abcd'],
    ['a broken escape', '{a}', '%zz'],
    ['half a character', '{a}', '%C3'],
    ['an unknown pair', '{?a}', '?b=1'],
    ['a pair given twice', '{?a}', '?a=1&a=2'],
  ])('does not contain %s', (_what, template, uri) => {
    expect(match(template, uri)).toBeUndefined();
  });

  test('is counted in characters, not in bytes', () => {
    expect(match('{a:2}', '%F0%9F%8E%B2%C3%BC')).toEqual({ a: '🎲ü' });
  });
});

test('other URIs do not match', () => {
  expect(match('test://a/{id}', 'test://b/1')).toBeUndefined();
  expect(match('test://a/{id}/data', 'test://a/1/date')).toBeUndefined();
  expect(match('test://static', 'test://static/x')).toBeUndefined();
});

test.each([
  '{/id*',
  '/id*}',
  '{/?id}',
  '{var:prefix}',
  '{hello:2*}',
  '{??hello}',
  '{!hello}',
  '{with space}',
  '{ leading}',
  '{trailing }',
  '{=path}',
  '{$var}',
  '{|var*}',
  '{*keys?}',
  '{?empty=default,var}',
  '{var}{-prefix|/-/|var}',
  'x{?empty|foo=none}',
  '/h{#hello+}',
  '{;keys:1*}',
  '?{-join|&|var,list}',
  '/people/{~thing}',
  '/{default-graph-uri}',
  '{}',
  '{?}',
  '/sparql{?query){&default-graph-uri*}',
  '{?x, y}',
  '{a{b}}',
  '{a}}',
  'a}b{c}',
  '{a,}',
  '{var:0}',
  '{var:01}',
  '{var:10000}',
  '{var:}',
  '{x.}',
  '{x..y}',
  '{%2x}',
  '{a}{b}',
  '{a}{+b}',
])('%s is refused when it is defined', (template) => {
  expect(() => parseUriTemplate(template)).toThrow(
    expect.objectContaining({
      code: 'invalid_argument',
      message: expect.stringContaining(template),
    }),
  );
});

describe('properties', () => {
  const encode = (value: string): string =>
    encodeURIComponent(value).replaceAll(
      /[!'()*]/g,
      (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const value = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const pair = fc.record({ a: value, b: value });

  test.each<[string, (a: string, b: string) => string]>([
    ['s://{a}/{b}', (a, b) => `s://${a}/${b}`],
    ['s://{a}@x:{b}', (a, b) => `s://${a}@x:${b}`],
    ['s://x{/a,b}/end', (a, b) => `s://x/${a}/${b}/end`],
    ['s://x{/a}{/b}', (a, b) => `s://x/${a}/${b}`],
    ['s://{a,b}', (a, b) => `s://${a},${b}`],
    ['s://{+a}/{b}', (a, b) => `s://${a}/${b}`],
    ['s://x{;a,b}', (a, b) => `s://x;a=${a};b=${b}`],
    ['s://x{?a,b}', (a, b) => `s://x?a=${a}&b=${b}`],
    ['s://x{?a,b}', (a, b) => `s://x?b=${b}&a=${a}`],
    ['s://x?y{&a,b}', (a, b) => `s://x?y&a=${a}&b=${b}`],
    ['s://{a}{?b}', (a, b) => `s://${a}?b=${b}`],
    ['s://{a}{#b}', (a, b) => `s://${a}#${b}`],
  ])('%s gives back the values it was expanded with', (template, expand) => {
    const parsed = parseUriTemplate(template);
    fc.assert(
      fc.property(pair, ({ a, b }) => {
        expect(parsed.match(expand(encode(a), encode(b)))).toEqual({ a, b });
      }),
    );
  });

  test('no URI makes a match throw, and a match keeps to the named variables', () => {
    const template = fc.constantFrom(
      '{a}',
      '{+a}/{b}',
      '{#a}',
      '{.a,b}',
      '{/a*}/{b}',
      '{;a,b}',
      '{?a,b*}',
      'x{a:3}{&b}',
    );
    const uri = fc.string({ unit: fc.constantFrom(...'ab%2f/.,;?&=#x'.split('')) });
    fc.assert(
      fc.property(template, uri, (source, text) => {
        const names = Object.keys(match(source, text) ?? {});
        expect(['a', 'b']).toEqual(expect.arrayContaining(names));
      }),
    );
  });
});

describe('fifty kilobytes of malice take less than five milliseconds', () => {
  const size = 50_000;
  const templates = ['', '+', '#', '.', '/', ';', '?', '&'].flatMap((operator) => [
    `x{${operator}a}y`,
    `x{${operator}a*}/{b}/{+c}-end`,
    `x{${operator}a,b,c}`,
  ]);
  const units = [
    'a',
    ',',
    '/',
    'a,',
    '/a',
    '.a',
    '&a=',
    ';a',
    '%41',
    '-en',
    'y',
    '?',
    '#',
    '=',
    '%',
  ];

  test.each(templates)('%s', (template) => {
    const parsed = parseUriTemplate(template);
    for (const unit of units) {
      const uri = `x${unit.repeat(size / unit.length)}`;
      // What else this process does only ever adds, so one try below the bound shows it.
      let quickest = Infinity;
      for (let tries = 0; tries < 100 && quickest >= 5; tries += 1) {
        const before = process.cpuUsage();
        parsed.match(uri);
        quickest = Math.min(quickest, process.cpuUsage(before).user / 1000);
      }
      expect({ unit, ms: quickest }).toMatchObject({
        ms: expect.toSatisfy((ms) => ms < 5),
      });
    }
  });
});

test('a URI that is longer than any is of no template', () => {
  const template = parseUriTemplate('a://b{?a*,b}');
  expect(template.match(`a://b?${'a=1&'.repeat(10)}b=2`)).toEqual({
    a: '1,'.repeat(9) + '1',
    b: '2',
  });
  const long = `a://b?${'a&'.repeat(4_000_000)}a`;
  const before = process.cpuUsage();
  expect(template.match(long)).toBeUndefined();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(20);
});
