// One bad server behind a gateway, again and again: what it costs the others, and what it leaves behind.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Gateway } from '@mcp-kit/host/gateway';
import { gateway } from '@mcp-kit/host/gateway';
import { openSession, type Session } from 'mcp-kit/client';
import type { Target } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { childTarget } from 'mcp-kit/transport/child-process';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';
import { shellServer } from '../bridge/shell-server.ts';
import { inMemory, namesOf } from '../gateway/memory.ts';
import { clientOf, start, use } from '../gateway/opened.ts';
import { Child, mcpctl } from '../support/child-process.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { longMs, scaled } from '../support/scale.ts';
import { managing, shellServer as shellEntry } from './lib/managed-servers.ts';
import { Mark } from './lib/marked-processes.ts';

const eras = ['legacy', 'modern'] as const;
const text = { type: 'string' } as const;

/** Gives back what it is given, so that nobody can mistake an answer for another. */
function echoing(name: string): Target {
  const input = { type: 'object', properties: { text }, required: ['text'] } as const;
  const echo = tool({
    name: 'echo',
    description: 'Says it again.',
    input,
    run: (args) => `${name} ${args.text}`,
  });
  return inMemory(createServer({ name, version: '1', features: [toolSet([echo])] }), name);
}

function textOf({ content }: { readonly content: readonly object[] }): string {
  const [block] = content;
  return block !== undefined && 'text' in block ? String(block.text) : '';
}

let nonce = 0;

/** Calls the good servers, each with a text of its own; every answer must be the one to its call. */
async function useGood(session: Session, times: number): Promise<void> {
  const call = async (server: string): Promise<void> => {
    const said = `call ${(nonce += 1)}`;
    const result = await session.callTool(`${server}__echo`, { text: said });
    expect(textOf(result)).toBe(`${server} ${said}`);
  };
  for (let at = 0; at < times; at += 1) await Promise.all([call('one'), call('two')]);
}

const good = (): Record<string, Target> => ({ one: echoing('one'), two: echoing('two') });

async function pidOf(session: Session): Promise<number> {
  return Number(textOf(await session.callTool('bad__pid')));
}

describe.skipIf(process.platform !== 'linux').each(eras)('a %s client', (era) => {
  const faults = {
    'is killed': (pid: number) => process.kill(pid, 'SIGKILL'),
    'is stopped, and killed': (pid: number) => {
      process.kill(pid, 'SIGSTOP');
      setImmediate(() => process.kill(pid, 'SIGKILL'));
    },
  };

  test.each(Object.entries(faults))(
    'loses no answer of the others while one %s again and again',
    async (_name, harm) => {
      const mark = use(new Mark());
      const service = start({ ...good(), bad: childTarget(shellServer(mark)) });
      const session = await clientOf(service, { era });
      for (let round = 0; round < scaled(200); round += 1) {
        const [pid = 0] = await expectSettled(async () => [await pidOf(session)]);
        const hanging = session.callTool('bad__hang');
        await session.callTool('bad__done');
        harm(pid);
        const [lost] = await Promise.all([hanging, useGood(session, 3)]);
        expect(lost.isError).toBe(true);
        expect(lost._meta).toMatchObject({ 'mcp-kit/unavailable': { server: 'bad' } });
      }
      expect(await namesOf(session)).toContain('bad__pid');
      await session.close();
      await service.close();
      expect(await mark.left()).toEqual([]);
    },
    longMs,
  );

  test(
    'is served by the others at the same cost while one is stopped',
    async () => {
      const mark = use(new Mark());
      const service = start({ ...good(), bad: childTarget(shellServer(mark)) });
      const session = await clientOf(service, { era });
      const pid = await pidOf(session);
      const calls = scaled(4000);
      await useGood(session, calls);
      const calm = await cpuMsOf(() => useGood(session, calls));
      process.kill(pid, 'SIGSTOP');
      let settled = 0;
      const hanging = Array.from({ length: 20 }, () =>
        session.callTool('bad__done').finally(() => (settled += 1)),
      );
      const troubled = await cpuMsOf(() => useGood(session, calls));
      expect(settled).toBe(0);
      expect(troubled).toBeLessThan(2 * calm + 50);
      process.kill(pid, 'SIGCONT');
      for (const one of hanging) expect(textOf(await one)).toBe('done');
    },
    longMs,
  );

  test('is told who is slow, and only those who ask it wait', async () => {
    let letGo: (() => void) | undefined;
    const wait = new Promise<void>((resolve) => (letGo = resolve));
    const slowTool = tool({ name: 'slow', description: 'Slow.', run: () => wait.then(() => 'x') });
    const slow = createServer({ name: 'slow', version: '1', features: [toolSet([slowTool])] });
    const service = start({ ...good(), slow: inMemory(slow, 'slow') }, { maxCalls: 8 });
    const session = await clientOf(service, { era });
    const waiting = Array.from({ length: 8 }, () => session.callTool('slow__slow'));
    await useGood(session, 20);
    await expect(session.callTool('slow__slow')).rejects.toThrow(/slow: 8 requests are under way/);
    letGo?.();
    for (const one of waiting) expect(textOf(await one)).toBe('x');
  });

  test('gets each answer once from a server that lies', async () => {
    const mark = use(new Mark());
    const service = start({ ...good(), liar: childTarget(liar(mark)) });
    const session = await clientOf(service, { era });
    expect(await namesOf(session)).toEqual(['liar__lie', 'one__echo', 'two__echo']);
    for (let round = 0; round < scaled(1000); round += 1) {
      const [lie] = await Promise.all([session.callTool('liar__lie'), useGood(session, 1)]);
      expect(textOf(lie)).toBe('a lie');
    }
    expect(service.status().servers.map(({ breaker }) => breaker)).toEqual(
      Array.from({ length: 3 }, () => 'closed'),
    );
  });

  test('sees no tool twice, and no other server, however often one changes its tools', async () => {
    const times = scaled(400);
    const tools = toolSet([tool({ name: 't0', description: 't', run: () => 't0' })]);
    const changing = createServer({ name: 'changing', version: '1', features: [tools] });
    const service = start({ ...good(), changing: inMemory(changing, 'changing') });
    let told = 0;
    const session = await clientOf(service, {
      era,
      onNotification: ({ method }) => {
        if (method === 'notifications/tools/list_changed') told += 1;
      },
    });
    await namesOf(session);
    for (let at = 1; at <= times; at += 1) {
      tools.remove(`t${at - 1}`);
      // What others are called, and what looks like theirs.
      tools.add(tool({ name: `t${at}`, description: 't', run: () => `t${at}` }));
      if (at === 1) tools.add(tool({ name: 'one__echo', description: 't', run: () => 'shadow' }));
      await useGood(session, 1);
      const names = await namesOf(session);
      expect(new Set(names).size).toBe(names.length);
      expect(names).toEqual(expect.arrayContaining(['one__echo', 'two__echo']));
    }
    const last = ['changing__one__echo', `changing__t${times}`, 'one__echo', 'two__echo'];
    await expect.poll(() => namesOf(session)).toEqual(last);
    expect(textOf(await session.callTool('one__echo', { text: 'me' }))).toBe('one me');
    expect(told).toBeLessThanOrEqual(2 * times + 3);
  });
});

/** Answers every request twice, in between says what was never asked, and things that are no messages. */
function liar(mark: Mark): Parameters<typeof childTarget>[0] {
  const script = `
while read -r line; do
  case $line in *'"id":'*) ;; *) continue ;; esac
  id=\${line#*'"id":'}; id=\${id%%[,\\}]*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"liar","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"lie","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*) result='{"content":[{"type":"text","text":"a lie"}]}' ;;
    *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}\\n' "$id"; continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":99999,"result":{"content":[{"type":"text","text":"for another"}]}}\\n'
  printf 'no message {\\n'
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
  printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"again"}]}}\\n' "$id"
  printf '{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"a complaint"}}\\n'
done`;
  return { command: '/bin/sh', args: ['-c', script], env: mark.env };
}

const conversations = (service: Gateway): number =>
  service.status().servers.reduce((sum, server) => sum + server.conversations, 0);

describe.skipIf(process.platform !== 'linux')('a gateway', () => {
  test(
    'keeps nothing of clients that come and go, over HTTP in both eras',
    async () => {
      const mark = use(new Mark());
      const service = start({ ...good(), bad: childTarget(shellServer(mark)) });
      await service.settled();
      const front = await serveHttp(service);
      use({ [Symbol.asyncDispose]: () => front.close() });
      for (let round = 0; round < scaled(1000); round += 1) {
        const session = await openSession(httpTarget(front.url), { era: eras[round % 2] });
        const call = session.callTool(round % 3 === 0 ? 'bad__done' : 'one__echo', { text: 'x' });
        if (round % 5 > 0) await call;
        else call.catch(() => {});
        await session.close();
      }
      // Those of modern clients are shared, and stay for the next one.
      await expect.poll(() => conversations(service)).toBeLessThanOrEqual(3);
      await expect.poll(() => mark.alive().length).toBeLessThanOrEqual(2);
      await service.close();
      expect(await mark.left()).toEqual([]);
    },
    longMs,
  );

  test(
    'has no stale and no further conversation in any of seven groups after its server was restarted',
    async () => {
      const mark = use(new Mark());
      const names = Array.from({ length: 7 }, (_, at) => `group${at}`);
      const groups = Object.fromEntries(names.map((name) => [name, { servers: ['bad'] }]));
      const service = start({ bad: childTarget(shellServer(mark)) }, { settings: { groups } });
      await service.settled();
      const sessions: Session[] = [];
      for (const [at, name] of names.entries()) {
        const group = service.group(name);
        if (group === undefined) throw new Error(`there is no ${name}`);
        sessions.push(await clientOf(group, { era: eras[at % 2] }));
      }
      const pids = async (): Promise<number[]> => {
        return Promise.all(sessions.map(pidOf));
      };
      for (let round = 0; round < scaled(40); round += 1) {
        const before = await expectSettled(pids);
        expect(new Set(before).size).toBe(names.length);
        await expect.poll(() => conversations(service)).toBe(names.length);
        for (const pid of before) process.kill(pid, 'SIGKILL');
        // Each group is served by another process than before, and by one of its own.
        const after = await expectSettled(pids);
        expect(after.filter((pid) => before.includes(pid))).toEqual([]);
        expect(new Set(after).size).toBe(names.length);
        await expect.poll(() => mark.alive().length).toBe(names.length);
      }
      for (const session of sessions) await session.close();
      await expect.poll(() => conversations(service)).toBe(0);
      // Lists that were asked for as the last client left come from a conversation of the gateway's own.
      await expect.poll(() => mark.alive().length).toBeLessThanOrEqual(1);
      await service.close();
      expect(await mark.left()).toEqual([]);
    },
    longMs,
  );

  test(
    'disturbs nothing that is the same in a configuration that is read again and again',
    async () => {
      const mark = use(new Mark());
      const kept = shellEntry('kept', mark);
      const changing = (at: number) => shellEntry('changing', mark, { tools: ['pid', `t${at}`] });
      const watched = use(managing([kept, changing(0)]));
      const service = use(gateway(watched.manager));
      await service.settled();
      const session = await clientOf(service, { era: 'legacy' });
      const pid = textOf(await session.callTool('kept__pid'));
      const over = new AbortController();
      let answered = 0;
      const load = (async () => {
        while (!over.signal.aborted) {
          expect(textOf(await session.callTool('kept__pid'))).toBe(pid);
          answered += 1;
        }
      })();
      for (let at = 1; at <= scaled(200); at += 1) {
        await watched.manager.reload({ entries: [kept, changing(at)] });
        await session.callTool('changing__pid').catch(() => {});
      }
      over.abort();
      await load;
      expect(answered).toBeGreaterThan(0);
      await expect.poll(() => namesOf(session)).toContain(`changing__t${scaled(200)}`);
      await expect.poll(() => mark.alive().length).toBe(2);
      await session.close();
      await service.close();
      await watched.manager.close();
      expect(await mark.left()).toEqual([]);
    },
    longMs,
  );

  test(
    'holds no more memory after many calls than before',
    async () => {
      setFlagsFromString('--expose-gc');
      const collect = runInNewContext('gc') as () => void;
      const service = start(good());
      const sessions = [
        await clientOf(service, { era: 'legacy' }),
        await clientOf(service, { era: 'modern' }),
      ];
      const calls = Math.max(1000, scaled(100_000));
      const run = async (count: number): Promise<void> => {
        for (let done = 0; done < count; done += 40) {
          await Promise.all(sessions.map((session) => useGood(session, 10)));
        }
      };
      const held = (): number => {
        for (let round = 0; round < 4; round += 1) collect();
        return process.memoryUsage().heapUsed / 1024;
      };
      await run(calls / 4);
      const before = held();
      await run(calls);
      const kib = held() - before;
      console.log(`${calls} calls: ${kib.toFixed(0)} KiB more`);
      expect(kib).toBeLessThan(1024);
    },
    longMs,
  );

  test('that is killed leaves nothing running', async () => {
    const mark = use(new Mark());
    const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-gateway-'));
    use({ [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) });
    const { command, args = [], env } = shellServer(mark);
    // In a file of its own: what looks like a variable in a configuration is one.
    const script = path.join(folder, 'server.sh');
    await writeFile(script, args.at(-1) ?? '');
    const names = ['a', 'b', 'c'];
    const server = { command, args: [script], env };
    const mcpServers = Object.fromEntries(names.map((name) => [name, server]));
    const config = path.join(folder, 'mcp.json');
    await writeFile(config, JSON.stringify({ mcpServers }));
    const options = ['--trust', '--yes-trust', '--root', folder, '--config', config];
    const words = [mcpctl, 'up', '--json', '--port', '0', ...options];
    await using up = new Child(process.execPath, words, { env: { ...process.env, HOME: folder } });
    const url = await up.until(() => /"url":"([^"]+)"/.exec(up.stdout)?.[1]);
    for (const era of eras) {
      const session = use(await openSession(httpTarget(url), { era }));
      for (const name of names) {
        expect(textOf(await session.callTool(`${name}__done`))).toBe('done');
      }
      session.callTool('a__hang').catch(() => {});
    }
    expect(mark.alive().length).toBeGreaterThanOrEqual(names.length);
    await up.stop('SIGKILL');
    expect(await mark.left()).toEqual([]);
  });
});

/** What the servers say once all are well: a breaker may be open for a moment. */
async function expectSettled(ask: () => Promise<number[]>): Promise<number[]> {
  let said: number[] = [];
  await expect
    .poll(async () => {
      said = await ask().catch(() => [0]);
      return said.every((pid) => pid > 0);
    })
    .toBe(true);
  return said;
}
