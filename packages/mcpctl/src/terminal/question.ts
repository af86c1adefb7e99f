import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

/** What came of a question: a line, the end of all input, or the wish to stop everything. */
export type Outcome = { readonly line: string } | 'ended' | 'interrupted';

/** A terminal while somebody answers questions on it: reads from standard input, writes to standard error. */
export class Questioner {
  readonly #interface: Interface;
  readonly #lines: string[] = [];
  #waiting: ((outcome: Outcome) => void) | undefined;
  #over: 'ended' | 'interrupted' | undefined;
  #muted = false;

  constructor(signal: AbortSignal) {
    const { stdin, stderr } = process;
    const output = new Writable({
      write: (chunk: Uint8Array, _encoding, done) => {
        if (!this.#muted) stderr.write(chunk);
        done();
      },
    });
    // What is typed may be longer than a line.
    Object.defineProperty(output, 'columns', { get: () => stderr.columns });
    this.#interface = createInterface({ input: stdin, output, terminal: true, historySize: 0 });
    this.#interface.on('line', (line) => this.#receive(line));
    this.#interface.on('close', () => this.#end('ended'));
    this.#interface.on('SIGINT', () => {
      // Whoever stops the program hears of it before the answer can lead anywhere.
      process.once('SIGINT', () => {
        this.#end('interrupted');
        this.#interface.close();
      });
      // The terminal has handed us the key instead of the signal.
      process.kill(process.pid, 'SIGINT');
    });
    const hangUp = (): void => this.#interface.close();
    signal.addEventListener('abort', hangUp, { once: true });
    this.#interface.on('close', () => signal.removeEventListener('abort', hangUp));
    if (signal.aborted) hangUp();
  }

  /** Shows text on a line of its own. */
  tell(text: string): void {
    process.stderr.write(`${text}\n`);
  }

  /** Forgets what was typed so far: whoever did had not seen what is asked now. */
  async forget(): Promise<void> {
    this.#muted = true;
    // What waits in the terminal is read in the next turn at the latest.
    for (let turns = 0; turns < 3; turns += 1)
      await new Promise((resolve) => setImmediate(resolve));
    this.#lines.length = 0;
    if (this.#over === undefined) this.#interface.write(null, { ctrl: true, name: 'u' });
    this.#muted = false;
  }

  /** Asks for one line. */
  async ask(prompt: string, options: { readonly secret?: boolean } = {}): Promise<Outcome> {
    if (this.#over !== undefined) return this.#over;
    this.#interface.setPrompt(prompt);
    this.#interface.prompt();
    this.#muted = options.secret === true;
    try {
      return await new Promise((resolve) => {
        this.#waiting = resolve;
        const early = this.#lines.shift();
        if (early !== undefined) this.#receive(early);
      });
    } finally {
      if (this.#muted || this.#over !== undefined) process.stderr.write('\n');
      this.#muted = false;
    }
  }

  /** Gives the terminal back; idempotent. */
  close(): void {
    this.#interface.close();
  }

  /** Lines that were pasted together answer one question after the other. */
  #receive(line: string): void {
    const answer = this.#waiting;
    this.#waiting = undefined;
    if (answer === undefined) this.#lines.push(line);
    else answer({ line });
  }

  #end(how: 'ended' | 'interrupted'): void {
    this.#over ??= how;
    const answer = this.#waiting;
    this.#waiting = undefined;
    answer?.(this.#over);
  }
}
