import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDeferred, KitError } from '#base';
import { Connection, type Channel, type Sink } from '#jsonrpc';
import { childTarget, type ChildOptions } from './index.ts';

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A child that is a shell script: starts in no time. */
const shell = (script: string, options: Partial<ChildOptions> = {}): ChildOptions => ({
  command: '/bin/sh',
  args: ['-c', script],
  ...options,
});

/** A sink that remembers, and tells when it is over. */
function recorder() {
  const over = createDeferred<Error | undefined>();
  const messages: unknown[] = [];
  let closed = 0;
  const sink: Sink = {
    deaf: false,
    message: (value) => messages.push(value),
    malformed: () => {},
    skipped: () => {},
    lost: () => {},
    failed: () => {},
    released: () => {},
    ended: () => {},
    closed: (cause) => {
      closed++;
      over.resolve(cause);
    },
  };
  return { sink, messages, over: over.promise, times: () => closed };
}

const dial = async (options: ChildOptions): Promise<Channel & AsyncDisposable> => {
  const channel = await childTarget(options).dial();
  return Object.assign(channel, { [Symbol.asyncDispose]: () => channel.close() });
};

describe('a conversation with a child', () => {
  test('is lines on its standard input and output', async () => {
    await using channel = await dial({ command: 'cat' });
    const { sink, messages } = recorder();
    channel.start(sink);
    channel.send('{"a":1}');
    await expect.poll(() => messages).toEqual([{ a: 1 }]);
  });

  test('is with the file that is named, under the name of the command', async () => {
    const say = String.raw`printf '{"name":"%s"}\n' "$0"`;
    await using channel = await dial({ ...shell(say), command: 'echo', program: '/bin/sh' });
    const { sink, messages } = recorder();
    channel.start(sink);
    await expect.poll(() => messages).toEqual([{ name: 'echo' }]);
  });

  test('delivers all that was said before the end, also while more is being written to it', async () => {
    for (let at = 0; at < 20; at++) {
      await using channel = await dial(shell('printf \'{"a":1}\\n{"b":2}\'; exit 3'));
      const { sink, messages, over } = recorder();
      channel.start(sink);
      const writing = setInterval(() => channel.send('{"x":1}'), 0);
      const cause = await over;
      clearInterval(writing);
      expect(messages).toEqual([{ a: 1 }, { b: 2 }]);
      expect(cause).toMatchObject({ code: 'process_failed', details: { exitCode: 3 } });
    }
  });

  test('that ended before anybody listened is told all the same', async () => {
    await using channel = await dial(shell('echo \'{"a":1}\'; exit 0'));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { sink, messages, over } = recorder();
    channel.start(sink);
    expect(await over).toMatchObject({ details: { exitCode: 0 } });
    expect(messages).toEqual([{ a: 1 }]);
  });

  test('names the last words of its child in the reason, and keeps more in the details', async () => {
    await using channel = await dial(shell('echo first >&2; echo "no such file" >&2; exit 7'));
    const { sink, over } = recorder();
    channel.start(sink);
    const cause = await over;
    expect(cause).toBeInstanceOf(KitError);
    expect(cause?.message).toContain('exit code 7');
    expect(cause?.message).toContain('first\nno such file');
    expect(cause).toMatchObject({
      details: { exitCode: 7, signal: null, stderr: 'first\nno such file\n' },
    });
  });

  test('ends when the child closes a pipe and runs on', async () => {
    for (const [closing, words] of [
      ['exec 1>&-', 'standard output'],
      ['exec 0<&-', 'standard input'],
    ] as const) {
      const stop = { eofMs: 50, termMs: 1000 };
      await using channel = await dial(shell(`${closing}; sleep 100; true`, { stop }));
      const { sink, over } = recorder();
      channel.start(sink);
      const writing = setInterval(() => channel.send('{"x":1}'), 5);
      const cause = await over;
      clearInterval(writing);
      expect(cause).toMatchObject({ code: 'process_failed' });
      expect(cause?.message).toContain(words);
    }
  });

  test('closes once, however often and from wherever it is closed', async () => {
    await using channel = await dial({ command: 'cat' });
    const { sink, over, times } = recorder();
    channel.start({ ...sink, closed: (cause) => (void channel.close(), sink.closed(cause)) });
    await Promise.all([channel.close(), channel.close()]);
    expect(await over).toBeUndefined();
    await channel.close();
    expect(times()).toBe(1);
  });

  test('closes before it was started', async () => {
    const channel = await childTarget({ command: 'cat' }).dial();
    await channel.close();
    const { sink, over } = recorder();
    channel.start(sink);
    expect(await over).toBeUndefined();
    expect(channel.send('{}')).toBe('dropped');
  });

  test('lets the child say something while it ends', async () => {
    const said = createDeferred<void>();
    const big = 'head -c 1000000 /dev/zero';
    await using channel = await dial(
      shell(`while read -r line; do :; done; ${big} && echo done >&2`, {
        onStderr: (text) => text.includes('done') && said.resolve(),
      }),
    );
    channel.start(recorder().sink);
    await channel.close();
    await said.promise;
  });

  test('hears standard error as it comes, and survives a listener that throws', async () => {
    const heard: string[] = [];
    const logged: string[] = [];
    const log = (message: string): void => void logged.push(message);
    await using channel = await dial(
      shell('echo grüße >&2; cat', {
        onStderr: (text) => {
          heard.push(text);
          throw new Error('a bug');
        },
        logger: { debug: log, info: log, warn: log, error: log },
      }),
    );
    const { sink, messages } = recorder();
    channel.start(sink);
    channel.send('{"a":1}');
    await expect.poll(() => messages).toHaveLength(1);
    expect(heard.join('')).toBe('grüße\n');
    expect(logged).toEqual([expect.stringContaining('a bug')]);
  });

  test('is kept in a log when asked for', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'mcp-kit-child-'));
    try {
      const script = 'echo \'{"a":1}\'; echo; while read -r line; do :; done; echo bye';
      const channel = await childTarget(
        shell(script, { stdoutLog: { path: 'x.log', root } }),
      ).dial();
      const { sink, messages } = recorder();
      channel.start(sink);
      await expect.poll(() => messages).toHaveLength(1);
      await channel.close();
      expect(await readFile(path.join(root, 'x.log'), 'utf8')).toBe('{"a":1}\nbye\n');
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });

  test('goes on when its log cannot be written, which is reported once', async () => {
    const warnings: string[] = [];
    const nothing = (): void => {};
    await using channel = await dial({
      command: 'cat',
      stdoutLog: { path: '/dev/full', root: '/dev' },
      logger: {
        debug: nothing,
        info: nothing,
        error: nothing,
        warn: (message) => warnings.push(message),
      },
    });
    const { sink, messages } = recorder();
    channel.start(sink);
    for (let at = 1; at <= 20; at++) {
      channel.send('{"a":1}');
      await expect.poll(() => messages).toHaveLength(at);
    }
    await expect.poll(() => warnings).toHaveLength(1);
    expect(warnings[0]).toContain('ENOSPC');
  });
});

describe('a child that cannot be started', () => {
  const failures: readonly [string, ChildOptions, string][] = [
    ['a program that is not there', { command: 'no-such-program-anywhere' }, 'Install'],
    ['a folder', { command: '/tmp' }, 'is a folder'],
    ['a file that is not a program', { command: '/etc/passwd' }, 'executable'],
    ['a working folder that is not there', { command: 'cat', cwd: '/no/such/folder' }, 'cwd'],
    ['an argument with a NUL', { command: 'cat', args: ['a\0b'] }, 'args'],
  ];
  test.each(failures)('%s is a failure with advice', async (_what, options, advice) => {
    const failure = Promise.resolve(childTarget(options).dial());
    await expect(failure).rejects.toMatchObject({
      code: 'process_failed',
      hint: expect.stringContaining(advice),
    });
  });

  test('because nobody wants it any more', async () => {
    const dialling = Promise.resolve(childTarget({ command: 'cat' }).dial(AbortSignal.abort()));
    await expect(dialling).rejects.toMatchObject({ code: 'aborted' });
  });

  test('because its options make no sense', () => {
    expect(() => childTarget({ command: '' })).toThrow(KitError);
    const stdoutLog = { path: '../x.log', root: '/tmp' };
    expect(() => childTarget({ command: 'cat', stdoutLog })).toThrow(KitError);
  });
});

describe('the name of a child', () => {
  test('is short and without secrets', () => {
    const label = (args: string[]) => childTarget({ command: 'npx', args }).label;
    expect(label(['-y', 'server'])).toBe('npx -y server');
    expect(label(['server', '--api-key', 'hidden'])).toBe('npx server --api-key …');
    expect(label(['server', '--token=hidden', 'a', 'b'])).toBe('npx server --token=… a …');
    expect(label(['-e', 'API_KEY=hidden'])).toBe('npx -e API_KEY=…');
    expect(label(['-H', 'Authorization: Bearer hidden'])).toBe('npx -H Authorization:…');
    expect(label(['http://me:hidden@host/x?key=hidden'])).toBe('npx http://…@host/x?…');
    expect(label(['-p', 'a=b:c', 'C:\\x'])).toBe('npx -p a=b:c C:\\x');
    expect(label(['x'.repeat(100)])).toHaveLength(60);
  });

  test('tells commands, places and environments apart, without saying what they are', () => {
    const base: ChildOptions = { command: 'x', args: ['a'], env: { A: '1', B: 'hidden' } };
    const key = (options: Partial<ChildOptions>) => childTarget({ ...base, ...options }).key;
    const same = [key({}), key({ env: { B: 'hidden', A: '1' } })];
    const others = [
      key({ args: ['a', ''] }),
      key({ args: [] }),
      key({ cwd: '/' }),
      key({ env: { A: '1', B: 'other' } }),
      key({ inheritEnv: true }),
      key({ command: 'y' }),
    ];
    expect(new Set(same).size).toBe(1);
    expect(new Set([...same, ...others]).size).toBe(1 + others.length);
    expect(same[0]).not.toContain('hidden');
  });
});

describe('on Windows', () => {
  test('a script is started by way of the shell, with its arguments quoted against it', async () => {
    const root = await mkdtemp(path.join(tmpdir(), 'mcp-kit-windows-'));
    try {
      // Stands for cmd.exe, and tells what it was given.
      const comspec = path.join(root, 'cmd');
      const answer = '{"jsonrpc":"2.0","id":1,"result":{"args":process.argv.slice(2)}}';
      await writeFile(
        comspec,
        `#!${process.execPath}\nprocess.stdin.once('data', () => console.log(JSON.stringify(${answer}))).on('end', () => process.exit());\n`,
        { mode: 0o755 },
      );
      await writeFile(path.join(root, 'server.cmd'), '@echo off\n', { mode: 0o755 });
      vi.spyOn(process, 'platform', 'get').mockReturnValue('win32');
      vi.stubEnv('comspec', comspec);
      const channel = await childTarget({
        command: path.join(root, 'server.cmd'),
        args: ['a b', '"&calc'],
      }).dial();
      const connection = new Connection(channel, () => ({
        request: () => undefined,
        notification: () => {},
        acceptsBatch: () => false,
        closed: () => {},
      }));
      try {
        expect(await connection.request('args')).toEqual({
          args: ['/d', '/s', '/c', expect.stringContaining('^"a^ b^" ^"\\^"^&calc^"')],
        });
      } finally {
        await connection.close();
      }
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
