import type { Channel, Sent, Sink } from '#jsonrpc';

/** Two ends of one conversation within this process; what one sends the other receives a microtask later. */
export function memoryPair(): [Channel, Channel] {
  const left = new MemoryEnd();
  const right = new MemoryEnd();
  left.connect(right);
  right.connect(left);
  return [left, right];
}

class MemoryEnd implements Channel {
  #other: MemoryEnd | undefined;
  #sink: Sink | undefined;
  #early: unknown[] = [];
  #closed = false;

  connect(other: MemoryEnd): void {
    this.#other = other;
  }

  start(sink: Sink): void {
    this.#sink = sink;
    const early = this.#early;
    this.#early = [];
    for (const value of early) sink.message(value);
    if (this.#closed) sink.closed();
  }

  send(text: string): Sent {
    if (this.#closed) return 'dropped';
    this.reply(text);
    return 'sent';
  }

  reply(text: string | undefined): void {
    if (text === undefined || this.#closed) return;
    // Through JSON, so that neither end can see the other's objects.
    const value: unknown = JSON.parse(text);
    queueMicrotask(() => this.#other?.deliver(value));
  }

  tell(): undefined {}

  letGo(): boolean {
    return false;
  }

  lastWords(): string {
    return '';
  }

  drained(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.end();
    return new Promise((resolve) => {
      queueMicrotask(() => {
        this.#other?.end();
        resolve();
      });
    });
  }

  deliver(value: unknown): void {
    if (this.#closed) return;
    if (this.#sink === undefined) this.#early.push(value);
    else this.#sink.message(value);
  }

  end(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#sink?.closed();
  }
}
