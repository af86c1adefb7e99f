import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createDeferred } from 'mcp-kit/internal';
import { createEraCache, type Session, type SessionOptions } from 'mcp-kit/client';
import type { Target } from 'mcp-kit/protocol';
import { childTarget } from 'mcp-kit/transport/child-process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { root } from '../support/child-process.ts';
import { failure, open } from './client-script.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'client-processes-'));
});
afterAll(() => rm(folder, { recursive: true }));

interface Server {
  readonly target: Target;
  /** How often it was started. */
  starts(): Promise<number>;
  /** Those of its processes that have not ended. */
  running(): Promise<readonly number[]>;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

let servers = 0;
function server(behaviour: string): Server {
  servers += 1;
  const file = path.join(folder, `starts-${servers}`);
  const program = path.join(root, 'test/fixtures/servers/opening.mjs');
  const args = [program, behaviour, file];
  const pids = async (): Promise<number[]> =>
    (await readFile(file, 'utf8')).trim().split('\n').map(Number);
  return {
    target: childTarget({ command: process.execPath, args, guard: false }),
    starts: async () => (await pids()).length,
    running: async () => (await pids()).filter(isRunning),
  };
}

/** What the server says of the process that serves: the era it is bound to, and what it has seen. */
async function story(session: Session): Promise<unknown> {
  const { content } = await session.callTool('story');
  return content[0] && 'text' in content[0] ? content[0].text : undefined;
}

const soon: SessionOptions = { probeTimeoutMs: 50 };

describe.concurrent('A process that', () => {
  test('knows both eras and starts slowly is spoken to in the modern one, and knows it', async () => {
    const slow = server('slow both');
    const eraCache = createEraCache();
    await using session = await open(slow.target, { ...soon, eraCache });
    expect(session.era).toBe('modern');
    expect(await story(session)).toBe('modern: server/discover tools/call');
    expect(await slow.starts()).toBe(2);
    // From now on it is waited for.
    await using next = await open(slow.target, { ...soon, eraCache });
    expect(await story(next)).toBe('modern: server/discover tools/call');
    expect(await slow.starts()).toBe(3);
  });

  test('answers both questions, the second first, is spoken to in the modern era too', async () => {
    const slow = server('slow both, handshake first');
    await using session = await open(slow.target, soon);
    expect(await story(session)).toBe('modern: server/discover tools/call');
    expect(await slow.starts()).toBe(2);
  });

  test('does not answer the probe is spoken to in the legacy era, in the same process', async () => {
    const silent = server('older, silent');
    await using session = await open(silent.target, soon);
    expect(await story(session)).toBe(
      'legacy: server/discover initialize notifications/initialized tools/call',
    );
    expect(await silent.starts()).toBe(1);
  });

  test.each(['dies at the probe', 'dies at the probe without a word'])(
    '%s is started again, for the handshake only',
    async (behaviour) => {
      const dying = server(behaviour);
      await using session = await open(dying.target, soon);
      expect(await story(session)).toBe('legacy: initialize notifications/initialized tools/call');
      expect(await dying.starts()).toBe(2);
    },
  );

  test.each([
    ['dies by itself', 'Error: set WEATHER_KEY first', 3],
    ['dies after a while', 'Error: the database is not there', 4],
  ])('%s is started once, and its last words are told', async (behaviour, words, exitCode) => {
    for (const known of [undefined, 'legacy', 'modern'] as const) {
      const dying = server(behaviour);
      const eraCache = createEraCache();
      if (known !== undefined) await eraCache.set(dying.target.key, known);
      const error = await failure(open(dying.target, { ...soon, eraCache }));
      expect(error).toMatchObject({ code: 'process_failed', details: { exitCode } });
      expect(error.message).toContain(words);
      expect(await dying.starts()).toBe(1);
    }
  });

  test('dies whatever it is told is started twice at most, whatever is remembered', async () => {
    for (const known of [undefined, 'legacy', 'modern'] as const) {
      const dying = server('dies at everything');
      const eraCache = createEraCache();
      if (known !== undefined) await eraCache.set(dying.target.key, known);
      const error = await failure(open(dying.target, { ...soon, eraCache }));
      expect(error).toMatchObject({ code: 'process_failed', details: { exitCode: 1 } });
      expect(error.message).toContain('Error: no such method');
      expect(await dying.starts()).toBe(2);
    }
  });

  test('asks and reports all the time does not prolong its own opening', async () => {
    const nagging = server('nags');
    const options = { ...soon, connectTimeoutMs: 700, inputs: { roots: [] } };
    const error = await failure(open(nagging.target, options));
    expect(error).toMatchObject({ code: 'timeout' });
    expect(error.message).toMatch(/^opening .*: not done within 700 ms/);
    expect(await nagging.starts()).toBe(1);
  });

  test('asks what nobody answers and reports what nobody wants does not prolong a call', async () => {
    const nagging = server('nags later');
    await using session = await open(nagging.target, { timeoutMs: 300 });
    // As `callTool` does without asking for progress.
    const error = await failure(session.request('tools/call', { name: 'story' }));
    expect(error.message).toMatch(/^tools\/call story: no answer from .* within 300 ms$/);
  });

  test('asks what is answered, or reports what is wanted, prolongs a call up to its cap', async () => {
    const nagging = server('nags later');
    const limits = { timeoutMs: 1500, maxTotalMs: 2500 };
    await using session = await open(nagging.target, { ...limits, inputs: { roots: [] } });
    const options = { onProgress: () => {} };
    const error = await failure(session.callTool('story', {}, options));
    expect(error.message).toMatch(/^tools\/call story: no answer from .* within 2500 ms$/);
  });

  test('is silent until the time is up is quoted with what it said meanwhile', async () => {
    const hanging = server('hangs');
    const error = await failure(open(hanging.target, { ...soon, connectTimeoutMs: 4000 }));
    expect(error).toMatchObject({ code: 'timeout' });
    expect(error.message).toContain('4000 ms');
    expect(error.message).toContain('waiting for the database at db.test');
    expect(await hanging.starts()).toBe(1);
  });

  test('answers under ids of another type or value has not answered', async () => {
    const strange = server('answers under other ids');
    await using session = await open(strange.target, { timeoutMs: 300, era: 'legacy' });
    const error = await failure(session.callTool('story'));
    expect(error.message).toMatch(/^tools\/call story: no answer from .* within 300 ms$/);
    expect(session.isConnected).toBe(true);
  });

  test('stops in the middle of a line fails the call in time, and ends with the session', async () => {
    const stalling = server('stops in the middle of a line');
    const session = await open(stalling.target, { timeoutMs: 300 });
    const error = await failure(session.callTool('story'));
    expect(error.message).toMatch(/^tools\/call story: no answer from .* within 300 ms$/);
    await session.close();
    expect(await stalling.running()).toEqual([]);
  });

  test('closes its output and runs on is an error with its last words, and is ended', async () => {
    const mute = server('closes its output');
    const error = await failure(open(mute.target, { era: 'legacy' }));
    expect(error).toMatchObject({ code: 'process_failed' });
    expect(error.message).toContain('closed its standard output and runs on');
    expect(error.message).toContain('I will say no more');
    expect([await mute.starts(), await mute.running()]).toEqual([1, []]);
  });

  test('floods its standard error is served all the same', async () => {
    const noisy = server('floods its standard error');
    await using session = await open(noisy.target);
    expect(await story(session)).toContain('tools/call');
  });

  test('floods with notifications is heard as far as its listener can follow', async () => {
    const noisy = server('floods with notifications');
    const { promise: busy, resolve: release } = createDeferred<void>();
    let heard = 0;
    await using session = await open(noisy.target, {
      onNotification: () => {
        heard += 1;
        return busy;
      },
    });
    expect(await story(session)).toContain('tools/call');
    expect(session.stats.droppedNotifications).toBeGreaterThan(49_000);
    release();
    await session.close();
    expect(heard).toBeLessThanOrEqual(257);
  });
});
