import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createBridge, type Bridge, type BridgeOptions } from 'mcp-kit/bridge';
import { openSession, type Session, type SessionOptions } from 'mcp-kit/client';
import { childTarget } from 'mcp-kit/transport/child-process';
import { serveHttp, type HttpOptions } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';

/**
 * A legacy server as a program without any library. It leaves a file named after its process in a folder while it
 * lives, asks what its tools want to know, and ends when it is told to.
 */
const program = `
const { rmSync, writeFileSync } = require('node:fs');
const { createInterface } = require('node:readline');
const mark = process.argv[1] + '/' + process.pid;
writeFileSync(mark, '');
process.on('exit', () => rmSync(mark, { force: true }));
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const text = (id, value) => say({ id, result: { content: [{ type: 'text', text: value }] } });
let asked = 0;
const waiting = new Map();
const tools = {
  echo: (id, args) => text(id, args.text),
  pid: (id) => text(id, String(process.pid)),
  hang: () => {},
  die: () => process.exit(7),
  ask: (id, args) => {
    const question = 'q' + ++asked;
    waiting.set(question, (answer) => text(id, args.who + '=' + answer.content.name));
    const params = { message: args.who, requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };
    say({ id: question, method: 'elicitation/create', params });
  },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) waiting.get(id)?.(result);
  else if (method === 'initialize') {
    const { protocolVersion } = params;
    say({ id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'small', version: '1' }, odd: 1 } });
  } else if (method === 'tools/call') tools[params.name](id, params.arguments ?? {});
  else if (id !== undefined) say({ id, error: { code: -32601, message: 'no ' + method } });
}).on('close', () => process.exit());
`;

interface Place extends AsyncDisposable {
  readonly bridge: Bridge;
  readonly url: string;
  /** Processes of the server that live. */
  processes(): Promise<readonly string[]>;
  connect(options?: SessionOptions): Promise<Session>;
}

/** A bridge over HTTP to the program. */
async function openPlace(options: BridgeOptions = {}, http: HttpOptions = {}): Promise<Place> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-bridge-'));
  const target = childTarget({
    command: process.execPath,
    args: ['-e', program, folder],
  });
  const bridge = createBridge(target, options);
  const listening = await serveHttp(bridge, http);
  return {
    bridge,
    url: listening.url,
    processes: () => readdir(folder),
    connect: (session) =>
      openSession(httpTarget(listening.url), { era: 'legacy', heal: false, ...session }),
    async [Symbol.asyncDispose]() {
      await listening.close();
      await bridge.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const textOf = (result: unknown): string =>
  (result as { content: { text: string }[] }).content[0]?.text ?? '';

/** Looks again until it is so. */
async function until(isSo: () => Promise<boolean> | boolean): Promise<void> {
  for (let tries = 0; tries < 500; tries++) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error('it never came to be so');
}

describe('a program behind a bridge', () => {
  test('runs once for each session, and ends with it', async () => {
    await using place = await openPlace();
    const one = await place.connect();
    const two = await place.connect();
    const pids = await Promise.all(
      [one, two].map(async (each) => textOf(await each.callTool('pid'))),
    );
    expect(new Set(pids).size).toBe(2);
    expect(await place.processes()).toHaveLength(2);
    await one.close();
    await until(async () => (await place.processes()).length === 1);
    await two.close();
    await until(async () => (await place.processes()).length === 0);
    expect(place.bridge.health()).toMatchObject({ status: 'ok', upstreams: 0, lost: 0 });
  });

  test('that is killed during a call fails that call at once, and is there for the next', async () => {
    await using place = await openPlace();
    await using session = await place.connect();
    for (let round = 1; round <= 8; round++) {
      const pid = Number(textOf(await session.callTool('pid')));
      const hanging = session.callTool('hang');
      process.kill(pid, 'SIGKILL');
      await expect(hanging).rejects.toMatchObject({
        code: -32603,
        data: { code: 'closed', retryable: true, mayHaveRun: true },
      });
      expect(textOf(await session.callTool('echo', { text: 'there' }))).toBe('there');
      expect(place.bridge.health()).toMatchObject({ status: 'ok', lost: round });
    }
  });

  test('is started again without being asked, and until then its health is degraded', async () => {
    await using place = await openPlace();
    await using session = await place.connect();
    const before = textOf(await session.callTool('pid'));
    const dying = session.callTool('die');
    await expect(dying).rejects.toMatchObject({ code: -32603 });
    expect(place.bridge.health()).toMatchObject({
      status: 'degraded',
      reason: expect.stringContaining('7') as string,
    });
    await until(() => place.bridge.health().status === 'ok');
    expect(textOf(await session.callTool('pid'))).not.toBe(before);
  });

  test('that always ends is not started for ever', async () => {
    await using place = await openPlace();
    await using session = await place.connect();
    const reasons: string[] = [];
    for (let tries = 0; tries < 12; tries++) {
      await session.callTool('die').catch((error: Error) => reasons.push(error.message));
    }
    expect(reasons.at(-1)).toMatch(/lost 5 times/);
    expect(place.bridge.health()).toMatchObject({ status: 'degraded' });
    expect(place.bridge.health().lost).toBeLessThanOrEqual(6);
  });

  test('runs no more often than allowed: who has been idle for longest is started again when needed', async () => {
    await using place = await openPlace({ maxUpstreams: 2 });
    const sessions: Session[] = [];
    for (let index = 0; index < 5; index++) {
      sessions.push(await place.connect());
      expect(place.bridge.health().upstreams).toBeLessThanOrEqual(2);
    }
    for (const session of sessions) {
      expect(textOf(await session.callTool('echo', { text: 'awake' }))).toBe('awake');
    }
    await until(async () => (await place.processes()).length === 2);
    const busy = Promise.allSettled(sessions.slice(3).map((session) => session.callTool('hang')));
    await expect(sessions[0]?.callTool('pid')).rejects.toMatchObject({ code: -32000 });
    for (const session of sessions) await session.close();
    await busy;
    await until(async () => (await place.processes()).length === 0);
  });

  test('leaves nothing when its client hangs up before it has started', async () => {
    // The answer may be on its way already: then nobody knows that the client did not read it.
    await using place = await openPlace({}, { sessions: { ttlMs: 1000, sweepMs: 100 } });
    const abort = new AbortController();
    const opening = place.connect({ signal: abort.signal });
    setTimeout(() => abort.abort(), 30);
    await opening.then(
      (session) => session.close(),
      () => {},
    );
    await until(async () => place.bridge.health().upstreams === 0);
    await until(async () => (await place.processes()).length === 0);
    expect(place.bridge.health()).toMatchObject({ status: 'ok' });
  });
});

describe('clients without a handshake, at a legacy program', () => {
  const asking = (name: string): SessionOptions => ({
    era: 'modern',
    inputs: {
      elicit: ({ message }) => ({ action: 'accept', content: { name: `${message}/${name}` } }),
    },
  });

  test('share a process as long as nobody can be asked', async () => {
    await using place = await openPlace();
    await using one = await place.connect({ era: 'modern' });
    await using two = await place.connect({ era: 'modern' });
    const pids = await Promise.all([one, two, one].map((each) => each.callTool('pid')));
    expect(new Set(pids.map(textOf)).size).toBe(1);
    expect(one.server).toMatchObject({ name: 'small' });
  });

  test('are each asked what their own call wants to know', async () => {
    await using place = await openPlace();
    await using one = await place.connect(asking('one'));
    await using two = await place.connect(asking('two'));
    const calls = Array.from({ length: 12 }, async (_, index) => {
      const [session, name] = index % 2 === 0 ? [one, 'one'] : [two, 'two'];
      const who = `call ${index}`;
      expect(textOf(await session.callTool('ask', { who }))).toBe(`${who}=${who}/${name}`);
    });
    await Promise.all(calls);
  });

  test('that come back with a state of another call, or a changed one, are refused', async () => {
    await using place = await openPlace();
    await using session = await place.connect({ era: 'modern' });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    };
    const call = (more: object = {}, who = 'me'): Promise<unknown> =>
      session.request('tools/call', { name: 'ask', arguments: { who }, _meta: meta, ...more });
    const first = (await call()) as { requestState: string; inputRequests: object };
    expect(first).toMatchObject({ resultType: 'input_required' });
    const [question = ''] = Object.keys(first.inputRequests);
    const inputResponses = { [question]: { action: 'accept', content: { name: 'Ada' } } };
    const { requestState } = first;
    const refused = { code: -32602 };
    await expect(call({ requestState, inputResponses }, 'another')).rejects.toMatchObject(refused);
    const forged = `${requestState.slice(0, -2)}xx`;
    await expect(call({ requestState: forged, inputResponses })).rejects.toMatchObject(refused);
    const again = (await call({ requestState })) as { requestState: string };
    expect(again).toMatchObject({ resultType: 'input_required' });
    const done = await call({ requestState: again.requestState, inputResponses });
    expect(done).toMatchObject({ resultType: 'complete', content: [{ text: 'me=Ada' }] });
    await expect(call({ requestState: again.requestState, inputResponses })).rejects.toMatchObject(
      refused,
    );
  });

  test('that never come back are forgotten, and their call is cancelled', async () => {
    await using place = await openPlace({ parkedMs: 200, idleMs: 50 });
    await using session = await place.connect({ era: 'modern' });
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    };
    const params = { name: 'ask', arguments: { who: 'me' }, _meta: meta };
    const calls = [1, 2, 3].map(() => session.request('tools/call', params));
    for (const result of await Promise.all(calls)) {
      expect(result).toMatchObject({ resultType: 'input_required' });
    }
    expect((await place.processes()).length).toBeGreaterThanOrEqual(3);
    await until(async () => (await place.processes()).length === 1);
  });
});
