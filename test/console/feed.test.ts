import path from 'node:path';
import type { Entry } from '../../packages/console/src/feed/entry.ts';
import { childTarget } from 'mcp-kit/transport/child-process';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { openSession } from 'mcp-kit/client';
import { describe, expect, test } from 'vitest';
import { connectHost, type Session } from '../interop/hosts.ts';
import { openWatched, visit } from './watched.ts';

const fixture = path.resolve(import.meta.dirname, '../interop/fixture.mjs');
const ours = () => childTarget({ command: process.execPath, args: [fixture] });

/** What a client of another implementation has sent and got, in order, without what HTTP alone says. */
function overheard({ transport }: Session): unknown[] {
  const heard: unknown[] = [];
  const { onmessage } = transport;
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    heard.push(message);
    return send(message, options);
  };
  Object.assign(transport, {
    onmessage(message: unknown) {
      heard.push(message);
      onmessage?.(message);
    },
  });
  return heard;
}

interface Message {
  readonly id?: unknown;
  readonly method?: string;
}

const isCall = ({ method }: Message): boolean => method === 'tools/call';

describe('what a console hears of a gateway', () => {
  test('is every message of the clients of both SDKs, once, in order and paired with that to the server', async () => {
    await using gateway = await openWatched({ ours: ours() });
    const visitor = await visit(gateway);
    const first = await connectHost({ kind: 'http', url: gateway.url }, { sdk: 'v1' });
    const second = await connectHost(
      { kind: 'http', url: gateway.url },
      { sdk: 'v2', mode: 'auto' },
    );
    const heard = [overheard(first), overheard(second)];
    const many = 25;
    for (let at = 0; at < many; at += 1) {
      await Promise.all([
        first.call('ours__greet', { name: `first ${at}` }),
        second.call('ours__greet', { name: `second ${at}` }),
      ]);
    }
    const entries = gateway.feed.after(0, 10_000).filter(({ wire }) => wire === 'client');
    for (const [at, messages] of heard.entries()) {
      const sent = messages.filter((one) => isCall(one as Message)) as Message[];
      expect(sent).toHaveLength(many);
      const versions = [first, second][at]?.era === 'legacy' ? /^2025/ : /^2026/;
      const noted = entries.filter(
        ({ message, peer }) => isCall(Object(message)) && versions.test(peer?.version ?? ''),
      );
      expect(noted.map(({ message }) => (message as Message).id)).toEqual(sent.map(({ id }) => id));
      for (const request of noted) {
        const of = gateway.feed.after(0, 10_000).filter(({ call }) => call?.seq === request.seq);
        expect(of.map(({ wire, direction }) => [wire, direction])).toEqual([
          ['client', 'received'],
          ['server', 'sent'],
          ['server', 'received'],
          ['client', 'sent'],
        ]);
        expect(of.map(({ server, call }) => server ?? call?.server)).toEqual(Array(4).fill('ours'));
        expect(of.at(-1)).toMatchObject({ outcome: 'ok', answers: { seq: request.seq } });
      }
    }
    const { rows } = await visitor.ask<{ rows: Entry[] }>('rows', { before: 1_000_000 });
    expect(rows.length).toBeGreaterThan(8 * many);
    expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, at) => (rows[0]?.seq ?? 0) + at));
    await Promise.all([first.close(), second.close()]);
  });

  test('has no secrets when it is shown', async () => {
    await using gateway = await openWatched({ ours: ours() });
    const visitor = await visit(gateway);
    await using session = await openSession(httpTarget(gateway.url));
    await session.callTool('ours__echo', { password: 'hunter2', api_key: 'k-123456' });
    const request = gateway.feed.after(0, 100).find(({ message }) => isCall(Object(message)));
    const shown = await visitor.ask<object>('message', { seq: request?.seq });
    const { rows } = await visitor.ask<{ rows: object[] }>('rows', { before: 1000 });
    for (const text of [JSON.stringify(shown), JSON.stringify(rows)]) {
      expect(text).not.toMatch(/hunter2|k-123456/);
    }
  });
});
