// Random messages, sizes, orders and silences against server, client, bridge and manager. HOSTILE_MESSAGES says how many
// there are in all, HOSTILE_SEED which.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startHostileServer, type HostileServer } from './hostile/hostile-server.ts';
import { attackHttp } from './hostile/http-client.ts';
import { attackLines } from './hostile/line-client.ts';
import { seeded } from './hostile/random.ts';
import { Subject, wrongWith } from './hostile/subject.ts';

const total = Number(process.env['HOSTILE_MESSAGES'] ?? 200_000);
const seed = Number(process.env['HOSTILE_SEED'] ?? Date.now() % 1_000_000);
// The slowest test takes about 0.1 ms for each message of the whole run on two free cores.
vi.setConfig({ testTimeout: Math.max(600_000, total) });

const share = (part: number): number => Math.ceil(total * part);

let folder = '';
const socketIn = (name: string): string => path.join(folder, `${name}.sock`);
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'hostile-'));
  console.log(`seed ${seed}, ${total} messages`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function expectSound(subject: Subject, sent: number): Promise<void> {
  const { wrong, told } = await wrongWith(subject);
  console.log(`${sent} messages: ${told}`);
  expect(wrong).toEqual([]);
}

/** Somebody who means well is served as if nothing had happened. */
async function expectServed(port: number): Promise<void> {
  await using session = await openSession(httpTarget(`http://127.0.0.1:${port}/mcp`));
  const { content } = await session.callTool('echo', { nonce: 'well' });
  expect(content).toEqual([{ type: 'text', text: 'well' }]);
}

/** Lets a client or manager talk to a hostile server until that has sent so many messages. */
async function untilSent(server: HostileServer, count: number, subject: Subject): Promise<void> {
  while (server.sent() < count && subject.ended === undefined) await sleep(20);
  if (subject.ended === undefined) await subject.stop();
}

describe('the judge', () => {
  test.each([
    ['blocks', 'blocked'],
    ['exits', 'ended'],
    ['keeps', 'memory'],
  ])('sees a server that %s', async (fault, complaint) => {
    const { subject, port } = await Subject.start({
      role: 'faulty',
      fault,
      listen: socketIn(fault),
    });
    await using _ = subject;
    for (let times = 0; times < 10; times += 1) await expectServed(port).catch(() => {});
    const { wrong } = await wrongWith(subject);
    expect(wrong).toContainEqual(expect.stringContaining(complaint));
  });
});

describe('hostile clients', () => {
  test('over lines leave a server as it was', async () => {
    const listen = socketIn('lines');
    const { subject, port } = await Subject.start({ role: 'server', listen });
    await using _ = subject;
    await attackLines(listen, share(0.36), seeded(seed));
    await expectServed(port);
    await expectSound(subject, share(0.36));
  });

  test('over HTTP leave a server as it was', async () => {
    const { subject, port } = await Subject.start({ role: 'server', listen: socketIn('http') });
    await using _ = subject;
    await attackHttp(port, share(0.16), seeded(seed + 1));
    await expectServed(port);
    await expectSound(subject, share(0.16));
  });

  test('leave a bridge as it was', async () => {
    const behind = socketIn('behind');
    const listen = socketIn('before');
    const server = await Subject.start({ role: 'server', listen: behind });
    await using _ = server.subject;
    const options = { role: 'bridge', listen, upstream: { socket: behind } };
    const { subject, port } = await Subject.start(options);
    await using __ = subject;
    await attackLines(listen, share(0.06), seeded(seed + 2));
    await attackHttp(port, share(0.04), seeded(seed + 3));
    await expectServed(port);
    await expectSound(subject, share(0.1));
    await expectSound(server.subject, share(0.1));
  });
});

describe('hostile servers', () => {
  test.each([
    ['socket', 0.15],
    ['url', 0.07],
    ['child', 0.01],
  ] as const)('leave a client as it was: %s', async (kind, part) => {
    await using server = await startHostileServer(socketIn(kind), seeded(seed + 4));
    const upstream = { [kind]: kind === 'url' ? server.url : server.socket };
    const { subject } = await Subject.start({ role: 'client', upstream });
    await using _ = subject;
    await untilSent(server, share(part), subject);
    await expectSound(subject, server.sent());
  });

  test('leave a bridge as it was', async () => {
    await using server = await startHostileServer(socketIn('upstream'), seeded(seed + 5));
    const listen = socketIn('bridge');
    const options = { role: 'bridge', listen, upstream: { socket: server.socket } };
    const { subject, port } = await Subject.start(options);
    await using _ = subject;
    const random = seeded(seed + 6);
    while (server.sent() < share(0.1) && subject.ended === undefined) {
      await attackHttp(port, 100, random);
      await attackLines(listen, 100, random);
    }
    await expectSound(subject, server.sent());
  });

  test('leave a manager as it was', async () => {
    await using server = await startHostileServer(socketIn('managed'), seeded(seed + 7));
    const servers = Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [name, { type: 'http', url: server.url }]),
    );
    writeFileSync(path.join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
    const { subject } = await Subject.start({ role: 'manager', folder });
    await using _ = subject;
    await untilSent(server, share(0.05), subject);
    await expectSound(subject, server.sent());
  });
});
