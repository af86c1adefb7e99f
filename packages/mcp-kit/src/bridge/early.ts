import { createDeferred } from '#base';
import { RpcError, rpcErrors, type Connection, type Notification, type Params } from '#jsonrpc';

/** How much a server may say and ask before its client is ready, as text. */
const maxLength = 32 * 1024;

/** What a server says and asks before its client is ready to hear it: kept as text, counted, and not for longer than it is wanted. */
export class Early {
  readonly #connection: Connection;
  #said: string[] | undefined = [];
  readonly #asking = new Set<() => void>();
  #length = 0;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** The client is not ready yet. */
  get isEarly(): boolean {
    return this.#said !== undefined;
  }

  /** Keeps it for later, unless it is too much. */
  say(notification: Notification): void {
    const text = JSON.stringify(notification);
    if (this.#count(text.length)) this.#said?.push(text);
  }

  /** Settles when the client can be asked, or nobody asks any more. */
  async untilReady(params: Params, signal: AbortSignal): Promise<void> {
    if (!this.isEarly) return;
    const { length } = JSON.stringify(params);
    if (!this.#count(length)) {
      throw new RpcError(rpcErrors.overloaded, 'The client is not ready, and was asked too much');
    }
    const { promise, resolve } = createDeferred<void>();
    const goOn = (): void => resolve();
    this.#asking.add(goOn);
    signal.addEventListener('abort', goOn, { once: true });
    try {
      if (!signal.aborted) await promise;
      signal.throwIfAborted();
    } finally {
      this.#asking.delete(goOn);
      signal.removeEventListener('abort', goOn);
      this.#count(-length);
    }
  }

  /** The client is ready, or gone; gives what was said. */
  end(): readonly Notification[] {
    const said = this.#said ?? [];
    this.#said = undefined;
    for (const text of said) this.#count(-text.length);
    for (const goOn of this.#asking) goOn();
    return said.map((text) => JSON.parse(text) as Notification);
  }

  #count(length: number): boolean {
    if (this.#length + length > maxLength || !this.#connection.keep(2 * length)) return false;
    this.#length += length;
    return true;
  }
}
