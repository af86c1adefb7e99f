/** One block of an event stream; a comment is a block of its own. */
export interface StreamEvent {
  readonly comment?: string;
  readonly event?: string;
  readonly id?: string;
  readonly retry?: number;
  readonly data?: string;
}

/** Splits an event stream into its blocks, however the bytes come. */
export class EventReader {
  #rest = '';
  /** A line's end that may turn out to be the first half of a block's. */
  #held = '';

  push(text: string): StreamEvent[] {
    // Only what is new is searched: a block may be large, and come in many parts.
    const blocks = (this.#held + text).split('\n\n');
    const last = blocks.pop() ?? '';
    this.#held = last.endsWith('\n') ? '\n' : '';
    const begun = last.slice(0, last.length - this.#held.length);
    const [first, ...more] = blocks;
    if (first === undefined) {
      this.#rest += begun;
      return [];
    }
    const whole = [this.#rest + first, ...more];
    this.#rest = begun;
    return whole.map(readBlock);
  }
}

function readBlock(block: string): StreamEvent {
  const event: { -readonly [K in keyof StreamEvent]: StreamEvent[K] } = {};
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const value = line.slice(colon + 1).replace(/^ /, '');
    switch (line.slice(0, colon)) {
      case '':
        event.comment = value;
        break;
      case 'event':
        event.event = value;
        break;
      case 'id':
        event.id = value;
        break;
      case 'retry':
        event.retry = Number(value);
        break;
      case 'data':
        event.data = event.data === undefined ? value : `${event.data}\n${value}`;
        break;
      default:
        throw new Error(`not a line of an event stream: ${line}`);
    }
  }
  return event;
}
