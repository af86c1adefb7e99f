import type { Json } from './raw.ts';
import type { Tap } from './socket-transport.ts';

/** A message the server sent, and the method of the request it answers, if it answers one. */
export interface Recorded {
  readonly message: Json;
  readonly answers?: string;
}

/** Takes down everything a server sends on any number of connections. */
export class Recorder {
  readonly messages: Recorded[] = [];
  readonly #methods = new Map<unknown, string>();

  /** For a transport that hands over messages. */
  readonly tap: Tap = (direction, message) => {
    if (direction === 'sent') this.#sent(message as Json);
    else this.#received(message as Json);
  };

  /** In place of `fetch`: takes bodies down as they pass, JSON and event streams alike. */
  readonly fetch: typeof fetch = async (input, init) => {
    if (typeof init?.body === 'string') this.#sent(JSON.parse(init.body) as Json);
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const type = response.headers.get('content-type') ?? '';
    const pass = type.startsWith('text/event-stream') ? this.#events() : this.#document();
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(pass), { status, statusText, headers });
  };

  #sent({ id, method }: Json): void {
    if (typeof method === 'string' && id !== undefined) this.#methods.set(id, method);
  }

  #received(message: Json): void {
    const answered = 'method' in message ? undefined : this.#methods.get(message['id']);
    this.messages.push(answered === undefined ? { message } : { message, answers: answered });
  }

  #document(): TransformStream<Uint8Array, Uint8Array> {
    const decoder = new TextDecoder();
    let text = '';
    return new TransformStream({
      transform(chunk, controller) {
        text += decoder.decode(chunk, { stream: true });
        controller.enqueue(chunk);
      },
      flush: () => {
        if (text !== '') this.#received(JSON.parse(text) as Json);
      },
    });
  }

  #events(): TransformStream<Uint8Array, Uint8Array> {
    const decoder = new TextDecoder();
    let rest = '';
    return new TransformStream({
      transform: (chunk, controller) => {
        const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) {
          const data = /^data: (.+)$/m.exec(event)?.[1];
          if (data !== undefined) this.#received(JSON.parse(data) as Json);
        }
        controller.enqueue(chunk);
      },
    });
  }
}
