import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a server does instead of answering as it should. */
export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers with a status and a text. */
export const plain =
  (status: number, body = 'Something went wrong'): Answer =>
  (response) => {
    response.writeHead(status, { 'content-type': 'text/plain' }).end(body);
  };

export interface OldServer extends AsyncDisposable {
  readonly url: string;
  /** What came, in order: methods of messages, or of HTTP where there was none. */
  readonly heard: string[];
}

/** A legacy server that works, but answers the probe as told. */
export async function oldServer(
  probed: Answer,
  others: Readonly<Record<string, Answer>> = {},
): Promise<OldServer> {
  const heard: string[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    const { id, method = request.method ?? '' } = body === '' ? {} : JSON.parse(body);
    heard.push(method);
    const json = (result: object): void => {
      const headers = { 'content-type': 'application/json', 'mcp-session-id': 's' };
      response.writeHead(200, headers).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    if (method === 'server/discover') probed(response, request);
    else if (others[method] !== undefined) others[method](response, request);
    else if (method === 'initialize') {
      json({
        protocolVersion: '2025-06-18',
        capabilities: {},
        serverInfo: { name: 'old', version: '1' },
      });
    } else if (method === 'tools/call') json({ content: [{ type: 'text', text: 'done' }] });
    else if (request.method === 'GET') response.writeHead(405).end();
    else response.writeHead(202).end();
  };
  const server = createServer((request, response) => void serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    heard,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
