import { isRecord, traceTarget } from 'mcp-kit/internal';
import type { Target } from 'mcp-kit/protocol';
import { memoryTarget } from 'mcp-kit/testing';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';
import { createFixture } from '../interop/fixture.mjs';
import { open } from './client-script.ts';

interface Place extends AsyncDisposable {
  readonly target: Target;
}

const places: Readonly<Record<string, () => Promise<Place>>> = {
  async stream() {
    return { target: memoryTarget(createFixture().server), [Symbol.asyncDispose]: async () => {} };
  },
  async http() {
    const { server } = createFixture();
    const listening = await serveHttp(server, { port: 0 });
    return {
      target: httpTarget(listening.url),
      [Symbol.asyncDispose]: () => listening.close(),
    };
  },
};

/** A message in a word or two: its method, or whether it is good or bad news. */
function inShort(message: unknown): string {
  if (!isRecord(message)) return 'strange';
  if (typeof message['method'] === 'string') return message['method'];
  return 'result' in message ? 'result' : 'error';
}

describe.each(Object.entries(places))('over a wire of the kind %s', (_kind, place) => {
  test('a listener hears a whole conversation in order, also what the server asks', async () => {
    await using there = await place();
    const heard: string[] = [];
    const target = traceTarget(there.target, (direction, message) => {
      heard.push(`${direction} ${inShort(message)}`);
    });
    {
      await using session = await open(target, {
        era: 'legacy',
        inputs: { elicit: async () => ({ action: 'accept', content: { name: 'Ann' } }) },
      });
      await session.callTool('ask_name', {});
    }
    expect(heard).toEqual([
      'sent initialize',
      'received result',
      'sent notifications/initialized',
      'sent tools/call',
      'received elicitation/create',
      'sent result',
      'received result',
    ]);
  });

  test('nothing is different for the session', async () => {
    await using there = await place();
    const target = traceTarget(there.target, () => {});
    await using session = await open(target);
    expect(session.era).toBe('modern');
    expect((await session.listTools()).tools.length).toBeGreaterThan(0);
  });
});
