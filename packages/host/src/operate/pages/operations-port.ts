import type { IncomingMessage, ServerResponse } from 'node:http';
import { KitError } from 'mcp-kit/internal';
import { createGuard, type Page } from 'mcp-kit/transport/http';
import { expositionType } from '../observe/exposition.ts';
import { alivePage, readyPage, type Reasons } from './pages.ts';

/** Where the operator looks: numbers and health, for this machine only. */
export interface OperationsPort {
  readonly url: string;
  close(): Promise<void>;
}

export async function openOperationsPort(
  port: number,
  shows: { readonly metrics: () => string; readonly reasons: Reasons },
): Promise<OperationsPort> {
  const pages: Readonly<Record<string, () => Page>> = {
    '/metrics': () => ({
      status: 200,
      headers: ['content-type', expositionType],
      body: shows.metrics(),
    }),
    '/healthz': alivePage,
    '/readyz': readyPage(shows.reasons),
  };
  // Pages in a browser must not read it either.
  const guard = createGuard();
  const serve = (
    { headers, rawHeaders, url = '', method }: IncomingMessage,
    response: ServerResponse,
  ): void => {
    const page = Object.hasOwn(pages, url) ? pages[url] : undefined;
    if (guard(headers, rawHeaders) !== undefined) response.writeHead(403).end();
    else if (page === undefined) response.writeHead(404).end();
    else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405).end();
    else {
      const { status, headers: head, body } = page();
      response.writeHead(status, [...head]).end(body);
    }
  };
  const { createServer } = await import('node:http');
  const server = createServer(serve);
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `cannot listen on 127.0.0.1:${port} for metrics`;
      reject(new KitError('address_in_use', message, { hint: 'Choose another port.', cause }));
    });
    // Its own, also where several processes share a port for clients.
    server.listen({ port, host: '127.0.0.1', exclusive: true }, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://127.0.0.1:${bound}/metrics`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
