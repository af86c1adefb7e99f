import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { KitError } from 'mcp-kit/internal';
import type { Api } from '../api/api.ts';
import { safeHeaders } from './headers.ts';
import { createSessions } from './session.ts';

/** Where a console is served, for this machine only. */
export interface Door {
  readonly url: string;
  /** An address that lets one browser in, once. */
  link(): string;
  close(): Promise<void>;
}

export interface DoorOptions {
  readonly port: number;
  /** The folder of the built page. */
  readonly page: string;
}

const files: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/console/': ['index.html', 'text/html; charset=utf-8'],
  '/console/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/console/page.css': ['page.css', 'text/css; charset=utf-8'],
  '/console/icon.svg': ['icon.svg', 'image/svg+xml'],
};

const apiPath = '/console/api/';
/** What people type, and what they paste. */
const maxBody = 8 * 1024 * 1024;

/** Serves the page and what it asks; whoever has not come by a link gets the page alone, which says so. */
export async function openDoor(api: Api, { port, page }: DoorOptions): Promise<Door> {
  const sessions = createSessions();
  const shown = await readPage(page);
  const server = createServer({ maxHeaderSize: 16 * 1024 }, (request, response) => {
    for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value);
    const { url = '', method = '' } = request;
    const refusal = refusalOf(request, place());
    if (refusal !== undefined) return refuse(response, 403, refusal);
    if (!URL.canParse(url, 'http://localhost')) return refuse(response, 404, 'nothing is here');
    const { pathname } = new URL(url, 'http://localhost');
    if (pathname === '/' || pathname === '/console') {
      response.writeHead(302, { location: '/console/' }).end();
      return;
    }
    const file = Object.hasOwn(shown, pathname) ? shown[pathname] : undefined;
    if (file !== undefined && (method === 'GET' || method === 'HEAD')) {
      response.writeHead(200, { 'content-type': file.type }).end(file.body);
    } else if (!pathname.startsWith(apiPath)) {
      refuse(response, 404, 'nothing is here');
    } else {
      serveApi(request, response, { name: pathname.slice(apiPath.length) }).catch(
        (error: unknown) => fail(response, error),
      );
    }
  });
  const serveApi = async (
    request: IncomingMessage,
    response: ServerResponse,
    { name }: { readonly name: string },
  ): Promise<void> => {
    const { searchParams } = new URL(request.url ?? '', 'http://localhost');
    const cookieName = `mcp-console-${bound}`;
    if (name === 'enter') {
      const { token } = Object(await bodyOf(request)) as { readonly token?: unknown };
      const cookie = sessions.enter(String(token));
      if (cookie === undefined) return refuse(response, 401, 'this link was used, or is too old');
      const how = 'Path=/console; HttpOnly; SameSite=Strict';
      response.setHeader('set-cookie', `${cookieName}=${cookie}; ${how}`);
      return answer(response, {});
    }
    if (!sessions.isKnown(cookieOf(request, cookieName))) {
      return refuse(response, 401, 'come by a link: mcpctl console');
    }
    if (request.method === 'GET' && name === 'events') return api.events(request, response);
    const isKnown = request.method === 'POST' && Object.hasOwn(api.methods, name);
    const asked = isKnown ? await bodyOf(request) : Object.fromEntries(searchParams);
    const method = isKnown ? api.methods[name] : undefined;
    if (method === undefined) return refuse(response, 404, `there is no ${name}`);
    answer(response, await method(Object(asked)));
  };
  await listen(server, port);
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  const place = (): readonly string[] => [`127.0.0.1:${bound}`, `localhost:${bound}`];
  const url = `http://127.0.0.1:${bound}/console/`;
  return {
    url,
    link: () => `${url}#token=${sessions.issue()}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Why a request is not from this page: a browser tells the truth in these headers, also when names lie to it. */
function refusalOf(
  { headers, method, rawHeaders }: IncomingMessage,
  hosts: readonly string[],
): string | undefined {
  const { host = '', origin } = headers;
  const hostCount = rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length;
  if (!hosts.includes(host) || hostCount !== 1) return 'wrong Host';
  if (origin !== undefined && origin !== `http://${host}`) return 'wrong Origin';
  if (origin === undefined && method !== 'GET' && method !== 'HEAD') return 'no Origin';
  const site = headers['sec-fetch-site'];
  const isOwn = site === undefined || site === 'same-origin' || site === 'none';
  return isOwn || headers['sec-fetch-mode'] === 'navigate' ? undefined : 'another site asks';
}

async function readPage(
  folder: string,
): Promise<Readonly<Record<string, { readonly body: Buffer; readonly type: string }>>> {
  const read = Object.entries(files).map(async ([place, [name, type]]) => {
    const body = await readFile(path.join(folder, name));
    return [place, { body, type }] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `cannot listen on 127.0.0.1:${port} for the console`;
      reject(new KitError('address_in_use', message, { hint: 'Choose another port.', cause }));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  const all = (headers.cookie ?? '').split('; ');
  return all.find((one) => one.startsWith(`${name}=`))?.slice(name.length + 1);
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > maxBody) throw new KitError('invalid_argument', 'this is more than can be sent');
    pieces.push(piece);
  }
  try {
    return JSON.parse(Buffer.concat(pieces).toString());
  } catch (cause) {
    throw new KitError('invalid_argument', 'this is not JSON', { cause });
  }
}

function answer(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body ?? {}));
}

function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { message } }));
}

/** What went wrong is said with the next step, as on the command line. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.end();
  const { code, message, data, hint } = Object(error) as Readonly<Record<string, unknown>>;
  const status = error instanceof KitError && code === 'invalid_argument' ? 400 : 500;
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ error: { code, message: message ?? String(error), data, hint } }));
}
