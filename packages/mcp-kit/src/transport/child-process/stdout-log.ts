import { Buffer } from 'node:buffer';
import { createDeferred } from '#base';
import { Pieces } from '../buffers.ts';
import { locateLog, openLog, setPartAside, type LogLocation, type OpenLog } from './log-files.ts';

export interface StdoutLogOptions {
  readonly path: string;
  /** The folder that the log must stay in; the working folder unless given. */
  readonly root?: string | undefined;
  /** Bytes after which a part is complete: 1 MiB unless given. Only a single longer line makes one larger. */
  readonly maxBytesPerPart?: number | undefined;
  /** Complete parts to keep: 32 unless given, all when 0. */
  readonly maxParts?: number | undefined;
}

/** Something to write; a new part may begin only where a line begins. */
interface Entry {
  readonly bytes: Buffer;
  readonly begins: boolean;
}

const newline = 0x0a;
const space = 0x20;
/** Bytes that may wait for a slow disk. */
const maxWaiting = 32 * 1024 * 1024;
/** Bytes of a line that are held until it is complete; a longer one is written as it comes. */
const maxHeld = 1024 * 1024;
/** How long a disk may hold up the end. */
const flushMs = 1000;

/** Keeps the lines that a child says in files of bounded size. Whatever goes wrong ends the log, and nothing else. */
export class StdoutLog {
  readonly #location: LogLocation;
  readonly #maxBytes: number;
  readonly #maxParts: number;
  readonly #onError: (error: Error) => void;
  readonly #line = new Pieces();
  /** The beginning of this line has been written already. */
  #begun = false;
  #queue: Entry[] = [];
  #waiting = 0;
  #file: OpenLog | undefined;
  #writing: Promise<void> | undefined;
  #ended = false;
  #failed = false;

  /** `onError` is called at most once. */
  constructor(options: StdoutLogOptions, onError: (error: Error) => void) {
    this.#location = locateLog(options.path, options.root);
    this.#maxBytes = options.maxBytesPerPart ?? 1024 * 1024;
    this.#maxParts = options.maxParts ?? 32;
    this.#onError = onError;
  }

  /** Takes bytes in any split; each line that is not blank will be in the log. */
  write(chunk: Buffer): void {
    if (this.#ended) return;
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      this.#line.add(chunk.subarray(from, end + 1));
      from = end + 1;
      this.#endLine();
    }
    if (from < chunk.length) this.#line.add(chunk.subarray(from));
    if (this.#line.size > maxHeld) this.#begin();
    if (this.#queue.length > 0) this.#writing ??= this.#writeAll();
  }

  /** Writes what is left and closes the file; never fails, and never takes long. */
  async close(): Promise<void> {
    if (this.#line.size > 0 || this.#begun) this.write(Buffer.of(newline));
    this.#ended = true;
    const late = createDeferred<void>();
    const timer = setTimeout(late.resolve, flushMs);
    await Promise.race([this.#writing, late.promise]);
    clearTimeout(timer);
    this.#release();
  }

  #endLine(): void {
    const bytes = this.#line.take();
    if (this.#begun || !bytes.every((byte) => byte <= space)) this.#enqueue(bytes);
    this.#begun = false;
  }

  #begin(): void {
    this.#enqueue(this.#line.take());
    this.#begun = true;
  }

  #enqueue(bytes: Buffer): void {
    this.#queue.push({ bytes, begins: !this.#begun });
    this.#waiting += bytes.length;
    if (this.#waiting > maxWaiting) this.#fail(new Error('the disk does not keep up'));
  }

  async #writeAll(): Promise<void> {
    try {
      while (this.#queue.length > 0) await this.#writeSome(await this.#fileFor(this.#queue[0]));
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
    }
    this.#writing = undefined;
  }

  /** The file that the next line belongs into. */
  async #fileFor(next: Entry | undefined): Promise<OpenLog> {
    const file = this.#file;
    if (file !== undefined) {
      if (!next?.begins || !this.#isFull(file.size, next)) return file;
      this.#file = undefined;
      await file.handle.close();
      await setPartAside(file.folder, this.#location.name, this.#maxParts);
    }
    const opened = await openLog(this.#location);
    this.#file = opened;
    // What an earlier process left may be a complete part.
    return file === undefined ? this.#fileFor(next) : opened;
  }

  #isFull(size: number, { bytes }: Entry): boolean {
    return size > 0 && size + bytes.length > this.#maxBytes;
  }

  /** Writes as much at once as the part has room for. */
  async #writeSome(file: OpenLog): Promise<void> {
    let count = 0;
    let size = file.size;
    for (const entry of this.#queue) {
      if (count > 0 && entry.begins && this.#isFull(size, entry)) break;
      size += entry.bytes.length;
      count++;
    }
    const bytes = Buffer.concat(this.#queue.splice(0, count).map((entry) => entry.bytes));
    await file.handle.appendFile(bytes);
    file.size = size;
    this.#waiting -= bytes.length;
  }

  #fail(error: Error): void {
    this.#queue = [];
    this.#ended = true;
    if (this.#failed) return;
    this.#failed = true;
    this.#onError(error);
    this.#release();
  }

  #release(): void {
    const file = this.#file;
    this.#file = undefined;
    file?.handle.close().catch(() => {});
  }
}
