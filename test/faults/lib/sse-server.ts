import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { lastingPort, listenAgain } from '../../support/lasting-port.ts';

/** A server of 2024-11-05 that can be restarted in its place; notes when it is connected to. */
export class SseServer implements AsyncDisposable {
  readonly #streams = new Map<string, ServerResponse>();
  #server: Server | undefined;
  #port = 0;
  #count = 0;
  /** When each stream was asked for since the last start, by the clock of `performance`. */
  arrivals: number[] = [];

  get url(): string {
    return `http://127.0.0.1:${this.#port}/sse`;
  }

  async start(): Promise<void> {
    this.arrivals = [];
    const port = (this.#port ||= await lastingPort());
    const server = await listenAgain(async () => {
      const listening = createServer((request, response) => void this.#serve(request, response));
      listening.listen(port, '127.0.0.1', 1024);
      await once(listening, 'listening');
      return listening;
    });
    this.#server = server;
  }

  /** Cuts every connection. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#streams.clear();
    if (server === undefined) return;
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      this.arrivals.push(performance.now());
      this.#count += 1;
      this.#streams.set(String(this.#count), response);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(`event: endpoint\ndata: /post?${this.#count}\n\n`);
      return;
    }
    const stream = this.#streams.get(request.url?.split('?')[1] ?? '');
    const { id, method } = JSON.parse(await text(request)) as { id?: number; method: string };
    response.writeHead(202).end();
    if (id === undefined) return;
    const result =
      method === 'initialize' ? { protocolVersion: '2024-11-05', capabilities: {} } : {};
    stream?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`);
  }
}
