import type { Budget } from '#base';
import {
  Connection,
  Exchange,
  type Channel,
  type Classified,
  type ConnectionOptions,
  type HttpAside,
  type Origin,
  type Parts,
  type RpcError,
  type Sent,
} from '#jsonrpc';
import { httpStatusOf, type Serve } from '#protocol';
import { PacedStream, type Heartbeat, type Pace } from './paced-stream.ts';
import { badRequest } from './refusals.ts';
import { ownAside, Reply, type AnswerStream, type Post, type ReplyPolicy } from './reply.ts';
import { refuse, type HeaderList, type Responder, type ResponseStream } from './responder.ts';

export interface StatelessShared {
  readonly serve: Serve;
  readonly heartbeat: Heartbeat;
  readonly pace: Pace;
  readonly budget: Budget;
  readonly connection: ConnectionOptions;
}

/** Serves POSTs of the stateless era: each is complete in itself, and all meet on one connection. */
export class Stateless implements Channel, ReplyPolicy {
  readonly connection: Connection;
  readonly canResume = false;
  readonly openedHeaders: HeaderList = [];
  readonly #shared: StatelessShared;

  constructor(shared: StatelessShared) {
    const { serve, connection } = shared;
    this.#shared = shared;
    const bind = (link: Connection) => ({
      request: serve,
      refused: serve,
      notification: (message: Exchange['message'], origin?: Origin) =>
        void serve(new Exchange(message, link, origin)),
      acceptsBatch: () => false,
      closed() {},
    });
    this.connection = new Connection(this, bind, { ...connection, manyClients: true });
  }

  post(classified: Classified, post: Post, responder: Responder): void {
    if (classified.kind === 'invalid') {
      refuse(responder, { ...badRequest(classified.reason), id: classified.id });
    } else if (classified.kind === 'response') {
      refuse(responder, badRequest('Clients do not send responses in this revision'));
    } else {
      // A subscription is a stream or nothing, whatever form other answers take.
      const streams = post.mode === 'json' && classified.message.method === 'subscriptions/listen';
      const asked = streams ? { ...post, mode: 'either' as const } : post;
      const reply = new Reply(this, responder, asked);
      this.connection.accept(classified, reply, post.bytes);
      if (!reply.answered) responder.onGone(() => this.#leave(reply));
    }
  }

  start(): void {}

  send(text: string, origin?: Origin): Sent {
    return origin instanceof Reply ? origin.emit(text) : 'dropped';
  }

  reply(text: string | undefined, origin?: Origin, error?: unknown): void {
    if (origin instanceof Reply) origin.answer(text, error);
  }

  replyParts(parts: Parts, origin?: Origin): boolean {
    return origin instanceof Reply && origin.answerParts(parts);
  }

  drained(origin?: Origin): Promise<void> {
    return origin instanceof Reply ? origin.drained() : Promise.resolve();
  }

  /** There is no other stream on which its client could hear it. */
  divert(): Sent {
    return 'dropped';
  }

  openStream(out: ResponseStream, reply: Reply): AnswerStream {
    const { pace, budget, heartbeat } = this.#shared;
    const stream = new PacedStream(out, pace, budget);
    heartbeat.add(stream);
    stream.onClose(() => this.#leave(reply));
    return new PlainStream(stream);
  }

  completeStream(text: string): string {
    return event(text);
  }

  asideOf(error: RpcError): HttpAside {
    return ownAside(error) ?? { status: httpStatusOf(error) };
  }

  async close(): Promise<void> {}

  /** This era's way to cancel is to hang up. */
  #leave(reply: Reply): void {
    this.connection.cancel(reply, 'the client hung up');
  }
}

const event = (text: string): string => `event: message\ndata: ${text}\n\n`;

/** A stream that nobody can come back to. */
class PlainStream implements AnswerStream {
  readonly #out: PacedStream;

  constructor(out: PacedStream) {
    this.#out = out;
  }

  get attached(): boolean {
    return this.#out.open;
  }

  emit(text: string): Sent {
    return this.#out.offer(event(text));
  }

  finish(text: string | undefined): void {
    if (text !== undefined) this.#out.write(event(text));
    this.#out.end();
  }

  drained(): Promise<void> {
    return this.#out.drained();
  }

  release(): void {}
}
