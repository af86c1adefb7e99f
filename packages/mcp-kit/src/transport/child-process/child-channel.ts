import type { Buffer } from 'node:buffer';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { Writable, type Readable } from 'node:stream';
import { createDeferred, KitError } from '#base';
import type { Channel, MessageOptions, Sent, Sink } from '#jsonrpc';
import { StreamChannel, type StreamChannelOptions } from '../stream-channel.ts';
import { endFailure, maxQuoted } from './failure.ts';
import type { ProcessGroup, StopOptions } from './process-group.ts';
import type { StderrTail } from './stderr-tail.ts';
import type { StdoutLog } from './stdout-log.ts';

/** All that belongs to one child. */
export interface Spawned {
  readonly label: string;
  readonly child: ChildProcessWithoutNullStreams;
  readonly group: ProcessGroup;
  readonly stderr: StderrTail;
  readonly log: StdoutLog | undefined;
}

/** How long what a child has said may take to arrive once it has ended; others may hold its pipes for ever. */
const lastWordsMs = 100;
/** How long a child that has closed a pipe may take to end, so that the reason is known. */
const endingMs = 200;

/** A conversation with a child over its pipes. The end of the child is the end of the conversation, and the reverse. */
export class ChildChannel implements Channel {
  readonly #spawned: Spawned;
  readonly #stop: StopOptions;
  readonly #input: Writable;
  readonly #lines: StreamChannel;
  #sink: Sink | undefined;
  /** Set once the conversation is over, with the reason if there is one. */
  #over: { readonly cause: Error | undefined } | undefined;
  #ending = false;
  #closing: Promise<void> | undefined;

  constructor(
    spawned: Spawned,
    options: Pick<StreamChannelOptions, 'limits'> & { readonly stop?: StopOptions | undefined },
  ) {
    this.#spawned = spawned;
    this.#stop = options.stop ?? {};
    const { stdin, stdout } = spawned.child;
    this.#input = outliving(stdin);
    stdin.on('error', () => void this.#awaitExit('deaf'));
    // Node throws away what nobody reads when a child ends; whoever listens for this reads.
    stdout.on('readable', unheard);
    this.#lines = new StreamChannel(stdout, this.#input, {
      limits: options.limits,
      alwaysReads: true,
      // When the pipes end is ours to say; whoever closes does not wait here for a child that does not read.
      borrowed: {
        write: (text, done) => {
          done?.();
          return this.#input.write(text);
        },
      },
    });
  }

  get pid(): number | undefined {
    return this.#spawned.child.pid;
  }

  start(sink: Sink): void {
    if (this.#over !== undefined) {
      sink.closed(this.#over.cause);
      return;
    }
    this.#sink = sink;
    const { child, group, log } = this.#spawned;
    child.stdout.off('readable', unheard);
    if (log !== undefined) child.stdout.on('data', (chunk: Buffer) => log.write(chunk));
    this.#lines.start({
      deaf: sink.deaf,
      message: (value, origin, bytes) => sink.message(value, origin, bytes),
      malformed: (code, reason, sample) => sink.malformed(code, reason, sample),
      skipped: (head, tail) => sink.skipped(head, tail),
      lost: (id, error) => sink.lost(id, error),
      failed: (error) => sink.failed(error),
      released: (id, retryMs) => sink.released(id, retryMs),
      ended: () => void this.#awaitExit('mute'),
      closed: (cause) => {
        // Ours, a peer that does not read, or a pipe that broke: only the last has a better reason to wait for.
        if (this.#closing !== undefined || cause instanceof KitError) this.#finish(cause);
        else void this.#awaitExit('mute');
      },
    });
    void group.exited.then(() => this.#hearLastWords());
  }

  send(text: string): Sent {
    return this.#lines.send(text);
  }

  tell(): undefined {}

  reply(text: string | undefined, options?: MessageOptions): void {
    this.#lines.reply(text, options);
  }

  /** A child is ended by whoever started it. */
  letGo(): boolean {
    return false;
  }

  drained(): Promise<void> {
    return this.#lines.drained();
  }

  lastWords(): string {
    const words = [this.#spawned.stderr.lastLines(maxQuoted), this.#lines.lastWords()];
    return words.filter(Boolean).join('\n');
  }

  close(): Promise<void> {
    if (this.#closing === undefined) {
      const { promise, resolve } = createDeferred<void>();
      // Known before anybody hears of the end and may call again.
      this.#closing = promise;
      resolve(this.#end());
    }
    return this.#closing;
  }

  /** The child has ended; its pipes may still hold what it said. */
  async #hearLastWords(): Promise<void> {
    const { child, group, label, stderr } = this.#spawned;
    await endOf([child.stdout, child.stderr]);
    if (group.exit !== undefined) this.#finish(endFailure(label, group.exit, stderr));
  }

  /** A pipe has ended before the child: a moment later it usually ends as well, and says why. */
  async #awaitExit(silence: 'deaf' | 'mute'): Promise<void> {
    if (this.#ending || this.#over !== undefined) return;
    this.#ending = true;
    const { group, label, stderr } = this.#spawned;
    if (!(await group.exitWithin(endingMs))) this.#finish(endFailure(label, silence, stderr));
  }

  #finish(cause: Error | undefined): void {
    if (this.#over !== undefined) return;
    this.#over = { cause };
    this.#sink?.closed(cause);
    void this.close();
  }

  async #end(): Promise<void> {
    const { child, group, log } = this.#spawned;
    void this.#lines.close();
    // What a child says while it ends has nowhere to go, but it must be able to say it.
    child.stdout.off('readable', unheard).removeAllListeners('data');
    if (log !== undefined) child.stdout.on('data', (chunk: Buffer) => log.write(chunk));
    child.stdout.resume();
    this.#input.end();
    await group.stop(this.#stop);
    await log?.close();
    for (const stream of [this.#input, child.stdin, child.stdout, child.stderr]) stream.destroy();
  }
}

function unheard(): void {}

/**
 * A stream into the child's standard input that does not end with it. Writing to a process that has just ended is no
 * failure: what it said before is still to be read, and its end will be heard of.
 */
function outliving(stdin: Writable): Writable {
  let waiting: (() => void) | undefined;
  const goOn = (): void => {
    const done = waiting;
    waiting = undefined;
    done?.();
  };
  stdin.on('drain', goOn).on('close', goOn);
  return new Writable({
    decodeStrings: false,
    write(chunk: string, encoding, done) {
      if (!stdin.writable || stdin.write(chunk, encoding)) done();
      else waiting = done;
    },
    final(done) {
      stdin.end();
      done();
    },
  });
}

/** Settles when all have ended, or have had their time to. */
async function endOf(streams: readonly Readable[]): Promise<void> {
  const late = createDeferred<void>();
  // After a turn in which the pipes were read: this process may have been busy all the time.
  const timer = setTimeout(() => setImmediate(late.resolve), lastWordsMs);
  const open = streams.filter((stream) => !stream.readableEnded && !stream.destroyed);
  const ends = open.map((stream) => {
    const { promise, resolve } = createDeferred<void>();
    stream.once('close', resolve).once('end', resolve);
    return promise;
  });
  await Promise.race([Promise.all(ends), late.promise]);
  clearTimeout(timer);
}
