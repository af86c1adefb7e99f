import type { ServerResponse } from 'node:http';
import type { Budget } from '#base';
import type { Parts } from '#jsonrpc';
import { Unread } from '../unread.ts';
import {
  sizeOf,
  type HeaderList,
  type Observer,
  type Responder,
  type ResponseStream,
} from './responder.ts';

/** A body the kernel may not take at once, and how long its reader may then take nothing. */
const maxUnwatched = 64 * 1024;
const stallMs = 60_000;

/** Where answers are counted. */
export interface Accounts {
  readonly observer?: Observer | undefined;
  readonly budget?: Budget | undefined;
}

/** Answers through `node:http`, with as few layers in between as possible. */
export class NodeResponder implements Responder, ResponseStream {
  readonly #response: ServerResponse;
  readonly #more: HeaderList | undefined;
  readonly #accounts: Accounts;

  /** `more` are headers that every answer to this request carries. */
  constructor(response: ServerResponse, more?: HeaderList, accounts: Accounts = {}) {
    this.#response = response;
    this.#more = more;
    this.#accounts = accounts;
  }

  get observer(): Observer | undefined {
    return this.#accounts.observer;
  }

  respond(status: number, headers: HeaderList, body: string | Parts): void {
    const response = this.#response;
    if (response.headersSent || response.destroyed) return;
    const length = sizeOf(body);
    const head = this.#head(headers);
    if (status !== 204) head.push('content-length', String(length));
    this.observer?.answered(status);
    response.writeHead(status, head);
    if (typeof body === 'string') {
      response.end(body);
    } else {
      const [begin, bytes, end] = body;
      // One write to the kernel, and no copy on the way: the socket is corked until this turn ends.
      response.write(begin);
      response.write(bytes);
      response.end(end);
    }
    if (length > maxUnwatched) this.cutAfterStall(stallMs);
    if (this.waiting > 0) this.#countUnread();
  }

  /** The system has not taken all of the answer: it waits here until its reader does. */
  #countUnread(): void {
    const unread = new Unread(this.#accounts.budget, this);
    unread.look();
    this.#response.once('close', () => unread.end());
  }

  openStream(headers: HeaderList): ResponseStream {
    const response = this.#response;
    if (!response.headersSent && !response.destroyed) {
      this.observer?.answered(200);
      response.writeHead(200, this.#head(headers));
      response.flushHeaders();
    }
    return this;
  }

  #head(headers: HeaderList): string[] {
    return this.#more === undefined ? [...headers] : [...headers, ...this.#more];
  }

  get gone(): boolean {
    return this.#response.destroyed;
  }

  onGone(listener: () => void): void {
    const response = this.#response;
    if (response.destroyed) {
      listener();
      return;
    }
    response.once('close', () => {
      if (!response.writableFinished) listener();
    });
  }

  write(text: string): void {
    if (!this.#response.destroyed) this.#response.write(text);
  }

  get waiting(): number {
    return this.#response.writableLength;
  }

  onDrain(listener: () => void): void {
    this.#response.on('drain', listener);
  }

  onClose(listener: () => void): void {
    if (this.#response.destroyed) listener();
    else this.#response.once('close', listener);
  }

  end(): void {
    if (!this.#response.destroyed) this.#response.end();
  }

  cutAfterStall(ms: number | undefined): void {
    // Node takes progress of a write into account, and destroys a socket whose timeout nobody handles.
    if (!this.#response.destroyed) this.#response.setTimeout(ms ?? 0);
  }

  cut(): void {
    this.#response.destroy();
  }
}
