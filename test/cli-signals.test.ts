import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Child } from './support/child-process.ts';
import { initialize, requireBuild, startHttp, type Announced } from './support/cli.ts';
import { send } from './support/http-client.ts';
import { modern, request, startSession } from './support/mcp-http.ts';

const folder = mkdtempSync(path.join(os.tmpdir(), 'mcpctl-'));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(requireBuild);

describe('a signal', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s ends it, whatever is open',
    async (signal) => {
      const { child, announced } = await startHttp();
      await using _ = child;
      const { hostname, port } = new URL(announced.url);
      const half: Socket = connect(Number(port), hostname);
      half.on('error', () => {});
      await once(half, 'connect');
      half.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le');
      const session = await startSession(announced.url);
      using stream = await session.listen();
      expect(stream.status).toBe(200);
      const countdown = {
        name: 'execute_timer_countdown',
        arguments: { from: 100, stepMs: 10_000 },
      };
      using running = await session.stream(request(9, 'tools/call', countdown));
      expect(running.status).toBe(200);
      const silent = send(announced.url, modern('tools/call', countdown)).catch(() => undefined);
      expect(await child.stop(signal)).toMatchObject({ code: 0 });
      await silent;
      half.destroy();
      await expect(fetch(announced.url)).rejects.toThrow('fetch failed');
    },
  );

  test('is obeyed when nothing is open', async () => {
    const { child } = await startHttp();
    await using _ = child;
    expect(await child.stop('SIGINT')).toMatchObject({ code: 0 });
  });

  test('ends it at once when it is the second', async () => {
    await using child = Child.mcpctl('serve', '--port', '0');
    const url = await child.until(() => /http:\S+\/mcp(?=[\s\S]*Ctrl-C)/.exec(child.stdout)?.[0]);
    const { hostname, port } = new URL(url);
    const half = connect(Number(port), hostname);
    half.on('error', () => {});
    await once(half, 'connect');
    half.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n{');
    await fetch(url);
    child.process.kill('SIGINT');
    await child.until(() => (child.stderr.includes('Ctrl-C again') ? true : undefined));
    // A repetition that comes at once would be an echo of the same keypress.
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(child.process.exitCode).toBe(null);
    expect(await child.stop('SIGINT')).toMatchObject({ code: 130 });
    half.destroy();
  });

  test('removes the socket file', async () => {
    const socket = path.join(folder, 'served.sock');
    await using child = Child.mcpctl('serve', '--unix', socket, '--json');
    await child.until(() => (child.stdout.includes('\n') ? true : undefined));
    const client = connect(socket);
    client.on('error', () => {});
    await once(client, 'connect');
    client.write(`${JSON.stringify(initialize())}\n`);
    await once(client, 'data');
    expect(await child.stop('SIGTERM')).toMatchObject({ code: 0 });
    expect(existsSync(socket)).toBe(false);
    client.destroy();
  });

  test('ends a conversation over stdio in order', async () => {
    await using child = Child.mcpctl('serve', '--stdio');
    child.send({ id: 1, method: 'ping' });
    await child.answer(1);
    expect(await child.stop('SIGINT')).toMatchObject({ code: 0 });
  });
});

describe('npm start', () => {
  // It may have to build first.
  test('serves, and ends when npm is told to end', async () => {
    await using child = new Child('npm', ['start', '--', '--port', '0', '--json']);
    const line = await child.until(() => /^\{"transport".*(?=\n)/m.exec(child.stdout)?.[0]);
    const { url } = JSON.parse(line) as Announced;
    await startSession(url);
    // Its standard output closes when the last process that holds it has gone.
    await child.stop('SIGTERM');
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });
});
