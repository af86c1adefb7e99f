import { Buffer } from 'node:buffer';
import { hideSecrets } from '#base';

/** Bytes kept of what a child says on its standard error. */
const size = 64 * 1024;

/** The end of a stream of bytes, in bounded memory. */
export class StderrTail {
  /** Written round and round; most children say nothing, so it is made on first use. */
  #ring: Buffer | undefined;
  #total = 0;

  push(chunk: Buffer): void {
    this.#ring ??= Buffer.allocUnsafe(size);
    const kept = chunk.subarray(-size);
    const at = (this.#total + chunk.length - kept.length) % size;
    const copied = kept.copy(this.#ring, at);
    kept.copy(this.#ring, 0, copied);
    this.#total += chunk.length;
  }

  /** All that is kept, as text without secrets: it becomes part of errors, which are shown and logged. */
  get text(): string {
    return hideSecrets(this.#kept(), '…');
  }

  #kept(): string {
    if (this.#ring === undefined) return '';
    if (this.#total <= size) return this.#ring.toString('utf8', 0, this.#total);
    const at = this.#total % size;
    const bytes = Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)]);
    return bytes.toString('utf8', firstWhole(bytes));
  }

  /** The last lines, fit for a message: whole lines where possible, nothing that moves a terminal's cursor. */
  lastLines(maxChars: number): string {
    const text = this.text
      .replaceAll(/\r\n?/g, '\n')
      .replaceAll(/[^\P{Cc}\n\t]/gu, '')
      .trimEnd();
    if (text.length <= maxChars) return text;
    const tail = text.slice(-maxChars);
    return tail.slice(tail.indexOf('\n') + 1);
  }
}

/** Where the first character begins that has not lost its first bytes. */
function firstWhole(bytes: Buffer): number {
  let at = 0;
  while (at < 4 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}
