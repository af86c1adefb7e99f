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

  push(text: string): StreamEvent[] {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop() ?? '';
    return blocks.map(readBlock);
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
