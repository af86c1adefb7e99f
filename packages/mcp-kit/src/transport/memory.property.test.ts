import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { createDeferred, type Deferred } from '#base';
import { Connection, RpcError, type Channel, type Exchange } from '#jsonrpc';
import { steer, vocabulary } from '#protocol';
import { memoryPair } from './memory.ts';

const numRuns = Math.ceil(Number(process.env['PROPERTY_RUNS']) / 10);

/** Lets everything that is under way without a timer come to rest. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

/** A question, seen from both sides. */
interface Question {
  readonly nonce: number;
  readonly controller: AbortController;
  readonly gate: Deferred<unknown>;
  outcomes: ('answered' | 'aborted' | 'closed' | 'refused')[];
  exchange: Exchange | undefined;
  sentAfterCancel: number;
}

/** One side of the conversation: asks the other, and serves what the other asks. */
class Side {
  readonly connection: Connection;
  readonly questions: Question[] = [];
  /** Texts of answers that left this side, by id. */
  readonly answers = new Map<unknown, number>();
  readonly #serves: () => readonly Question[];

  constructor(channel: Channel, serves: () => readonly Question[]) {
    this.#serves = serves;
    const { reply } = channel;
    channel.reply = (text, origin) => {
      const message = JSON.parse(text ?? '{"method":""}') as { id?: unknown; method?: string };
      if (message.method === undefined) {
        this.answers.set(message.id, (this.answers.get(message.id) ?? 0) + 1);
      }
      reply.call(channel, text, origin);
    };
    this.connection = new Connection(
      channel,
      (connection) => ({
        request: (exchange) => this.#serve(exchange),
        notification: (message) => void steer(connection, message),
        acceptsBatch: () => false,
        closed: () => {},
      }),
      { vocabulary },
    );
  }

  ask(nonce: number): void {
    const question: Question = {
      nonce,
      controller: new AbortController(),
      gate: createDeferred(),
      outcomes: [],
      exchange: undefined,
      sentAfterCancel: 0,
    };
    this.questions.push(question);
    const index = this.questions.length - 1;
    const { signal } = question.controller;
    const onProgress = (): void => {
      if (question.outcomes.length > 0) question.sentAfterCancel++;
    };
    this.connection.request('ask', { index }, { signal, onProgress }).then(
      (result) => {
        assert.deepEqual(result, { nonce });
        question.outcomes.push('answered');
      },
      (error: { code: unknown }) => {
        if (error instanceof RpcError) question.outcomes.push('refused');
        else question.outcomes.push(error.code === 'aborted' ? 'aborted' : 'closed');
      },
    );
  }

  async #serve(exchange: Exchange): Promise<unknown> {
    const question = this.#serves()[Number(exchange.message.params?.['index'])];
    assert.ok(question !== undefined);
    question.exchange = exchange;
    return question.gate.promise;
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('ask' as const), left: fc.boolean() }) },
  ...(['finish', 'fail', 'cancel', 'progress'] as const).map((action) => ({
    weight: 3,
    arbitrary: fc.record({ do: fc.constant(action), left: fc.boolean(), which: fc.nat() }),
  })),
  { weight: 4, arbitrary: fc.record({ do: fc.constant('tick' as const), times: fc.nat(4) }) },
);

async function run(steps: readonly (typeof step extends fc.Arbitrary<infer T> ? T : never)[]) {
  const [leftEnd, rightEnd] = memoryPair();
  const left: Side = new Side(leftEnd, () => right.questions);
  const right: Side = new Side(rightEnd, () => left.questions);
  let nonces = 0;
  for (const action of steps) {
    if (action.do === 'tick') {
      for (let at = 0; at < action.times; at++) await Promise.resolve();
      continue;
    }
    const side = action.left ? left : right;
    if (action.do === 'ask') {
      side.ask(nonces++);
      continue;
    }
    const question = side.questions[action.which % Math.max(1, side.questions.length)];
    if (question === undefined) continue;
    if (action.do === 'finish') question.gate.resolve({ nonce: question.nonce });
    else if (action.do === 'fail') question.gate.reject(new RpcError(-1, 'no'));
    else if (action.do === 'cancel') question.controller.abort();
    else if (question.exchange !== undefined) {
      const progressToken = question.exchange.message.id;
      void question.exchange.notify('notifications/progress', { progressToken, progress: 1 });
    }
  }
  await settle();
  return { left, right };
}

function check(asking: Side, serving: Side): void {
  for (const [index, question] of asking.questions.entries()) {
    const id = index + 1;
    const { outcomes, controller, exchange } = question;
    assert.ok(outcomes.length <= 1, 'settled more than once');
    assert.ok((serving.answers.get(id) ?? 0) <= 1, 'answered more than once');
    assert.equal(question.sentAfterCancel, 0);
    if (outcomes[0] !== 'aborted') continue;
    assert.ok(controller.signal.aborted);
    // Either the answer was on its way already, or the served side knows and stays silent.
    if (exchange === undefined) continue;
    assert.equal(exchange.cancelled, !serving.answers.has(id));
    assert.equal(exchange.signal.aborted, exchange.cancelled);
  }
}

test('whatever is asked, answered, cancelled and in which order, each question settles once and nothing follows', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.boolean(), async (steps, closing) => {
      const { left, right } = await run(steps);
      check(left, right);
      check(right, left);
      const all = [...left.questions, ...right.questions];
      if (closing) await left.connection.close();
      else for (const { gate, nonce } of all) gate.resolve({ nonce });
      await settle();
      check(left, right);
      check(right, left);
      for (const { outcomes } of all) assert.equal(outcomes.length, 1);
      for (const { connection } of [left, right]) {
        assert.deepEqual(connection.inFlight, { serving: 0, awaiting: 0 });
        assert.equal(connection.open, !closing);
      }
      for (const { gate } of all) gate.resolve(undefined);
      await Promise.all([left.connection.close(), right.connection.close()]);
    }),
    { numRuns },
  );
});

test('a channel whose other end closed before it started says so', async () => {
  const [near, far] = memoryPair();
  await far.close();
  const closed = vi.fn<() => void>();
  const no = (): void => {};
  const [message, malformed, skipped, lost, failed] = [no, no, no, no, no];
  const [released, ended] = [no, no];
  const heard = { message, malformed, skipped, lost, failed, released, ended, closed };
  near.start({ deaf: false, ...heard });
  expect(closed).toHaveBeenCalledTimes(1);
  expect(near.send('{}')).toBe('dropped');
});
