import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectUsageError, requireBuild } from '../support/cli.ts';
import { fixture, mcpJson, Project, samples, trusting, type Finished } from '../support/project.ts';
import { oneIn } from '../support/scale.ts';

beforeAll(requireBuild);

const project = new Project({ 'mcp.json': mcpJson({ odd: fixture('odd') }) });
afterAll(() => project[Symbol.dispose]());

const call = (...args: readonly string[]): Promise<Finished> =>
  project.run('call', 'odd', ...args, '--quiet', ...trusting);

const argumentsOf = async (...args: readonly string[]): Promise<unknown> => {
  const { code, stdout, stderr } = await call('show_arguments', ...args, '--json');
  expect(stderr).toBe('');
  expect(code).toBe(0);
  return (JSON.parse(stdout) as { structuredContent: unknown }).structuredContent;
};

describe('arguments as NAME=VALUE', () => {
  test('have the types of the schema', async () => {
    expect(
      await argumentsOf(
        'number=1.5',
        'flag=true',
        'nothing=null',
        'tags=["a","b"]',
        'filter={"year":1}',
        'choice=auto',
        'free=7',
        'dotted.name=3',
      ),
    ).toEqual({
      number: 1.5,
      flag: true,
      nothing: null,
      tags: ['a', 'b'],
      filter: { year: 1 },
      choice: 'auto',
      free: '7',
      'dotted.name': 3,
    });
  });

  test('repeated make an array, also behind a reference', async () => {
    expect(await argumentsOf('tags=a', 'tags=b', 'counts=1', 'counts=2')).toEqual({
      tags: ['a', 'b'],
      counts: [1, 2],
    });
    expect(await argumentsOf('tags=only')).toEqual({ tags: ['only'] });
  });

  test('with dots lead into objects', async () => {
    expect(await argumentsOf('filter.year=2026', 'filter.deep.er=x')).toEqual({
      filter: { year: 2026, deep: { er: 'x' } },
    });
  });

  test('with := are JSON whatever the schema says', async () => {
    expect(await argumentsOf('free:={"a":[1]}', 'nothing:="null"')).toEqual({
      free: { a: [1] },
      nothing: 'null',
    });
  });

  test('keep what follows the first equals sign', async () => {
    const { stdout } = await call('echo', 'text=a=b?c=d');
    expect(stdout).toBe('a=b?c=d\n');
  });

  test('cannot reach the prototype of objects', async () => {
    expect(await call('show_arguments', '__proto__.x=1')).toMatchObject({ code: 2 });
  });
});

describe('arguments as JSON', () => {
  oneIn(2)(['--args', '--arguments-json'])('come with %s', async (option) => {
    expect(await argumentsOf(option, '{"number":1}')).toEqual({ number: 1 });
  });

  test('come from a file with --args-file', async () => {
    project.write('args.json', { number: 2 });
    expect(await argumentsOf('--args-file', 'args.json')).toEqual({ number: 2 });
  });

  oneIn(3)([[['-']], [['--args', '-']], [['--args-file', '-']]])(
    'come from standard input with %j',
    async (how) => {
      const { stdout, code } = await project.runWith(
        '{"number":3}',
        'call',
        'odd',
        'show_arguments',
        ...how,
        '--json',
        '--quiet',
        ...trusting,
      );
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ structuredContent: { number: 3 } });
    },
  );

  test('are overruled by NAME=VALUE', async () => {
    expect(
      await argumentsOf('--args', '{"number":1,"filter":{"year":1}}', 'number=2', 'filter.x=y'),
    ).toEqual({ number: 2, filter: { year: 1, x: 'y' } });
  });

  oneIn(3)([
    [['--args', '{bad'], /--args is not JSON/],
    [['--args', '[1]'], /--args is JSON, but not an object/],
    [['--args-file', 'missing.json'], /--args-file missing\.json cannot be read \(ENOENT\)/],
    [['--args', '{}', '--args-file', 'x'], /--args and --args-file exclude each other/],
    [['number:={'], /number is not JSON/],
    [['number=99999999999999999999'], /number: .* too large/],
  ])('%j is a usage error', async (args, message) => {
    const { code, stderr, stdout } = await call('show_arguments', ...args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr.trimEnd().split('\n').length).toBeGreaterThan(1);
  });
});

describe('the check before sending', () => {
  oneIn(4)([
    [['echo'], /echo: text: required but missing/],
    [['echo', 'txt=x'], /text: required but missing; is it what you named "txt"\?/],
    [['echo', 'text=x', 'times=often'], /echo: times: expected integer, received string/],
    [['echo', 'text=x', 'times=0'], /times: expected at least 1, received 0/],
    [['strict', 'color=red'], /color: unknown property; did you mean "colour"\?/],
    [['strict', 'colour=gren'], /did you mean "green"\?/],
    [['show_arguments', 'filter.year=soon'], /filter\.year: expected integer/],
    [['show_arguments', 'counts=1', 'counts=two'], /counts\[1\]: expected integer/],
  ])('%j names the field, and shows what the tool takes', async (args, message) => {
    const { code, stdout, stderr } = await call(...args);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr).toMatch(message);
    expect(stderr).toMatch(/\nIt takes \w+\(.*\)\. More: mcpctl tools odd \w+\n$/);
  });

  test('does not run the patterns of the server', async () => {
    // With one it would not end.
    const { code } = await call('strict', `slow=${'a'.repeat(60)}!`);
    expect(code).toBe(0);
  });

  test('is left out, with a warning, where a schema cannot be used', async () => {
    const { code, stderr, stdout } = await project.run(
      'call',
      'odd',
      'unusable',
      'a=1',
      ...trusting,
    );
    expect(code).toBe(0);
    expect(stdout).toBe('{"a":"1"}\n');
    expect(stderr).toMatch(/warning: arguments are not checked: .*\$ref/);
  });

  test('warns of an argument that the tool does not speak of', async () => {
    const { code, stderr } = await project.run(
      'call',
      'odd',
      'echo',
      'text=x',
      'tims=2',
      ...trusting,
    );
    expect(code).toBe(0);
    expect(stderr).toMatch(/warning: echo has no argument tims; did you mean times\?/);
  });

  test('names the tool that may be meant', async () => {
    const { code, stderr } = await call('ecko', 'text=x');
    expect(code).toBe(2);
    expect(stderr).toMatch(/odd has no tool ecko\nDid you mean echo\? See: mcpctl tools odd\n/);
  });

  test('says how to write an argument that is not one', async () => {
    const { code, stderr } = await call('echo', 'hello');
    expect(code).toBe(2);
    expect(stderr).toMatch(/"hello" is not an argument\n.*text="hello"/);
  });
});

describe('the result', () => {
  test('is printed as text, with the time on standard error', async () => {
    const { stdout, stderr, code } = await project.run(
      'call',
      'odd',
      'echo',
      'text=hi',
      'times=2',
      ...trusting,
    );
    expect(code).toBe(0);
    expect(stdout).toBe('hi\nhi\n');
    expect(stderr).toMatch(/^done · \d+ ms$/m);
  });

  test('with structured content is printed once, as JSON', async () => {
    const { stdout } = await call('show_arguments', 'number=1');
    expect(stdout).toBe('{\n  "number": 1\n}\n');
  });

  test('that says isError ends with exit code 5', async () => {
    const { code, stdout, stderr } = await call('fail');
    expect(code).toBe(5);
    expect(stdout).toBe('it did not work\n');
    expect(stderr).toMatch(/the tool says that it failed/);
    const json = await call('fail', '--json');
    expect(json.code).toBe(5);
    expect(JSON.parse(json.stdout)).toMatchObject({ isError: true });
  });

  test('mentions what is no text, and saves it with --output under harmless names', async () => {
    const shown = await call('draw');
    expect(shown.stdout).toMatch(/^\[image image\/png, \d+ bytes; --output DIR saves it\]$/m);
    expect(shown.stdout).toMatch(/more <odd:\/\/more>: mcpctl read odd odd:\/\/more$/m);
    const saved = await call('draw', '--output', 'out');
    expect(saved.stdout).toMatch(/out\/image\.png/);
    expect(project.read('out/image.png').subarray(1, 4).toString()).toBe('PNG');
    expect(project.read('out/evil_name.bin')).toEqual(Buffer.from([0, 1, 2]));
    const again = await call('draw', '--output', 'out');
    expect(again.stdout).toMatch(/out\/image-2\.png/);
  });

  test('shows progress on standard error', async () => {
    using other = new Project();
    const { stdout, stderr } = await other.run(
      'call',
      'execute_timer_countdown',
      'from=2',
      'stepMs=5',
      '--',
      ...samples,
    );
    expect(stdout).toMatch(/Counted down/);
    expect(stderr).toMatch(/^progress 1\/2/m);
  });

  test('that never comes ends with exit code 4, and says what to add', async () => {
    const { code, stderr } = await call('hang', '--timeout-ms', '1500');
    expect(code).toBe(4);
    expect(stderr).toMatch(/1500 ms/);
    expect(stderr).toMatch(/--timeout-ms/);
  });

  test('of a server that dies is its last words, with exit code 4', async () => {
    const { code, stderr } = await call('crash');
    expect(code).toBe(4);
    expect(stderr).toMatch(/last words/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

describe('a call as it is written elsewhere', () => {
  const open = (): Project =>
    new Project({
      'mcp.json': { mcpServers: { 'de.mo': { command: samples[0], args: samples.slice(1) } } },
    });
  const matches = { text: 'a b a', phrase: 'a', limit: 1 };

  oneIn(2)([
    ['with a dot', ['de.mo.find_text_matches', 'text=a b a', 'phrase=a', 'limit=1']],
    ['with colons', ['de.mo', 'find_text_matches', 'text:a b a', 'phrase:a', 'limit:1']],
    ['as a function', ['de.mo.find_text_matches(text: "a b a", phrase: \'a\', limit: 1)']],
    [
      'as a function of a server',
      ['de.mo', 'find_text_matches(text: a b a, phrase: a)', 'limit=1'],
    ],
  ])('%s is the same call', async (_, words) => {
    using written = open();
    const { code, stdout } = await written.run('call', ...words, '--json', ...trusting);
    expect(code).toBe(0);
    const plain = await written.run(
      'call',
      'de.mo',
      'find_text_matches',
      '--args',
      JSON.stringify(matches),
      '--json',
      ...trusting,
    );
    expect(JSON.parse(stdout)).toEqual(JSON.parse(plain.stdout));
  });

  test('says what is wrong, and what to type', async () => {
    using written = open();
    expectUsageError(
      await written.run('call', 'demo.echo', 'a=1'),
      /unknown mcp server: demo/,
      /There are: de\.mo/,
    );
    expectUsageError(
      await written.run('call', 'de.mo', 'echo(hello)', ...trusting, '--quiet'),
      /"hello" is not an argument/,
      /tool\(a: 2/,
    );
  });
});

test('words of other programs are understood', async () => {
  using written = new Project({ 'mcp.json': { servers: { demo: { argv: samples } } } });
  const list = await written.run('list', '--json');
  expect(JSON.parse(list.stdout)).toMatchObject({ servers: [{ name: 'demo' }] });
  const tools = await written.run('list', 'demo', '--json', ...trusting);
  expect(tools.stdout).toContain('find_text_matches');
  expect((await written.run('version')).stdout).toBe((await written.run('--version')).stdout);
  expect((await written.run('help', 'install')).stdout).toContain('mcpctl add');
});
