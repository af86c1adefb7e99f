import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Session } from 'mcp-kit/client';
import type { Id } from 'mcp-kit/jsonrpc';
import { afterEach, beforeEach, test, vi } from 'vitest';
import {
  older,
  open,
  script,
  text,
  type Peer,
  type Script,
} from '../requirements/client-script.ts';

const schedules = Number(process.env['PROPERTY_RUNS']);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const timeoutMs = 1000;
const maxTotalMs = 3000;
/** Never a multiple of the limits: no two things happen at the same time. */
const pauseMs = 400;

/** A call as it should go. */
interface Call {
  readonly name: string;
  readonly stop: AbortController;
  /** Where it was sent, and under which id; nothing when it was refused. */
  readonly sent: { readonly peer: Peer; readonly id: Id } | undefined;
  readonly begun: number;
  lastSign: number;
  expected: string | undefined;
  /** Whether the server is to be told that it is no longer wanted. */
  tells: boolean;
  /** What really happened. */
  readonly outcomes: string[];
  progress: number;
  allowedProgress: number;
}

const action = fc.constantFrom(
  'start',
  'start',
  'start',
  'progress',
  'progress',
  'cancel',
  'answer',
  'answer',
  'refuse',
  'pause',
  'tick',
  'hangUp',
  'close',
);
const step = fc.record({ action, which: fc.nat(50) });
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class Model {
  readonly server: Script;
  readonly session: Session;
  readonly calls: Call[] = [];
  closed = false;

  constructor(server: Script, session: Session) {
    this.server = server;
    this.session = session;
  }

  async take({ action: what, which }: Step): Promise<void> {
    const call = this.calls[which % Math.max(1, this.calls.length)];
    switch (what) {
      case 'start':
        await this.#start();
        break;
      case 'pause':
        this.#pause();
        break;
      case 'tick':
        await turns(3);
        break;
      case 'hangUp':
        this.server.peer.hangUp();
        this.#endAll('closed');
        break;
      case 'close':
        void this.session.close();
        this.closed = true;
        this.#endAll('closed');
        break;
      default:
        if (call !== undefined) this.#poke(call, what);
    }
  }

  async #start(): Promise<void> {
    const name = `t${this.calls.length}`;
    const stop = new AbortController();
    const outcomes: string[] = [];
    const begun = performance.now();
    const fields = { name, stop, outcomes, begun, lastSign: begun, tells: false };
    const call = { ...fields, progress: 0, allowedProgress: 0, expected: undefined };
    const started = this.session.callTool(
      name,
      {},
      { signal: stop.signal, onProgress: () => void (at(this.calls, name).progress += 1) },
    );
    started.then(
      (result) => outcomes.push(`answered ${JSON.stringify(result.content)}`),
      (error: { code?: unknown }) => outcomes.push(String(error.code)),
    );
    let sent = find(this.server, name);
    if (sent === undefined) {
      await turns(60);
      sent = find(this.server, name);
    }
    this.calls.push({ ...call, sent, expected: sent === undefined ? 'closed' : undefined });
  }

  #pause(): void {
    vi.advanceTimersByTime(pauseMs);
    const now = performance.now();
    for (const call of this.calls) {
      if (now < Math.min(call.lastSign + timeoutMs, call.begun + maxTotalMs)) continue;
      if (call.expected === undefined) call.tells = true;
      call.expected ??= 'timeout';
    }
  }

  #poke(call: Call, what: 'progress' | 'cancel' | 'answer' | 'refuse'): void {
    if (what === 'cancel') {
      if (call.expected === undefined) call.tells = true;
      call.expected ??= 'aborted';
      call.stop.abort();
      return;
    }
    if (call.sent === undefined) return;
    const { peer, id } = call.sent;
    if (what === 'progress') {
      if (call.expected === undefined) {
        call.allowedProgress += 1;
        call.lastSign = performance.now();
      }
      peer.notify('notifications/progress', { progressToken: id, progress: 1 });
    } else if (what === 'answer') {
      call.expected ??= `answered ${JSON.stringify(Reflect.get(text(call.name), 'content'))}`;
      peer.say({ id, result: text(call.name) });
    } else {
      call.expected ??= '-32099';
      peer.say({ id, error: { code: -32_099, message: 'refused' } });
    }
  }

  #endAll(how: string): void {
    for (const call of this.calls) call.expected ??= how;
  }

  async check(): Promise<void> {
    await this.session.close();
    this.#endAll('closed');
    await turns(20);
    for (const { name, outcomes, expected, progress, allowedProgress } of this.calls) {
      assert.deepEqual(outcomes, [expected], name);
      assert.equal(progress, allowedProgress, `${name}: progress`);
    }
    const told = this.server.peers.flatMap((peer) =>
      peer.of('notifications/cancelled').map(({ params }) => [peer, params?.['requestId']]),
    );
    const toTell = this.calls
      .filter(({ tells }) => tells)
      .map(({ sent }) => [sent?.peer, sent?.id]);
    assert.equal(told.length, toTell.length);
    for (const [peer, id] of toTell) {
      assert.equal(told.filter(([where, which]) => where === peer && which === id).length, 1);
    }
    for (const { connection, isClosed } of this.server.peers) {
      assert.deepEqual(connection.inFlight, { serving: 0, awaiting: 0 });
      assert.ok(isClosed);
    }
    assert.equal(vi.getTimerCount(), 0);
  }
}

function at(calls: readonly Call[], name: string): Call {
  const call = calls.find((known) => known.name === name);
  assert.ok(call);
  return call;
}

function find({ peers }: Script, name: string): Call['sent'] {
  for (const peer of peers) {
    const message = peer.of('tools/call').find(({ params }) => params?.['name'] === name);
    if (message?.id !== undefined) return { peer, id: message.id };
  }
  return undefined;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}

test('whatever is started, cancelled, answered, closed and in which order, each call settles once and nothing follows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const server = script({ ...older, 'tools/call': () => undefined });
      const session = await open(server, { era: 'legacy', timeoutMs, maxTotalMs });
      const model = new Model(server, session);
      for (const next of steps) await model.take(next);
      await model.check();
    }),
    { numRuns: schedules },
  );
});
