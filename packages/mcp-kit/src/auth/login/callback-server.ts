import { Buffer } from 'node:buffer';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDeferred, KitError, startTimer } from '#base';

/** Waits on this machine for a browser to come back. */
export interface CallbackServer {
  readonly redirectUri: string;
  /** Resolves, once, to the address that a browser came back to with this state. */
  comeBack(
    state: string,
    options: { timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<URL>;
  close(): void;
}

const path = '/callback';

/** Listens at an address on this machine: at that of `redirectUri`, or at any free port. */
export async function listenForCallback(redirectUri?: string): Promise<CallbackServer> {
  const { createServer } = process.getBuiltinModule('node:http');
  const asked = redirectUri === undefined ? undefined : loopbackUrl(redirectUri);
  const server = createServer({ maxHeaderSize: 32 * 1024, requestTimeout: 10_000 });
  await listen(server, asked);
  const { port } = server.address() as AddressInfo;
  const place = asked ?? new URL(`http://127.0.0.1:${port}${path}`);
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return {
    redirectUri: redirectUri ?? place.href,
    close,
    comeBack: async (state, { timeoutMs, signal }) => {
      const { promise, resolve, reject } = createDeferred<URL>();
      let isOver = false;
      server.on('request', (request, response) => {
        const back = isOver ? undefined : callbackOf(request, place, state);
        answer(response, back === undefined ? 'nothing' : 'done');
        if (back === undefined) return;
        isOver = true;
        resolve(back);
      });
      const timer = startTimer(() => reject(nobodyCame(timeoutMs)), timeoutMs);
      const giveUp = (): void => reject(new KitError('aborted', 'the login was given up'));
      signal?.addEventListener('abort', giveUp, { once: true });
      if (signal?.aborted) giveUp();
      try {
        return await promise;
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener('abort', giveUp);
      }
    },
  };
}

/** The address to listen at; only ones of this machine can be. */
function loopbackUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const hosts = ['127.0.0.1', 'localhost'];
  if (url?.protocol === 'http:' && hosts.includes(url.hostname) && url.search === '') return url;
  throw new KitError('invalid_argument', `a browser cannot come back to ${text}`, {
    hint: 'Use an address like http://127.0.0.1:8765/callback, with 127.0.0.1 or localhost.',
  });
}

function listen(server: Server, asked: URL | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => {
      const message = `a browser cannot come back to ${asked?.href ?? 'this machine'}`;
      const hint = 'Another program may listen there: end it, or use another port.';
      reject(new KitError('address_in_use', message, { hint, cause }));
    });
    const port = asked === undefined ? 0 : Number(asked.port || 80);
    server.listen({ host: '127.0.0.1', port, exclusive: true }, resolve);
  });
}

/** The address of a request, if it is the one that is waited for. */
function callbackOf(request: IncomingMessage, place: URL, state: string): URL | undefined {
  const { method, url = '', headers } = request;
  // A page elsewhere that has made its name lead here would be named in `Host`.
  if (method !== 'GET' || headers.host !== place.host || !url.startsWith('/')) return undefined;
  const back = URL.canParse(url, place.origin) ? new URL(url, place.origin) : undefined;
  if (back?.origin !== place.origin || back.pathname !== place.pathname) return undefined;
  const states = back.searchParams.getAll('state');
  return states.length === 1 && isEqual(states[0] ?? '', state) ? back : undefined;
}

function isEqual(one: string, other: string): boolean {
  const [first, second] = [Buffer.from(one), Buffer.from(other)];
  const { timingSafeEqual } = process.getBuiltinModule('node:crypto');
  return first.length === second.length && timingSafeEqual(first, second);
}

const texts = {
  done: [200, 'You can close this window', 'Go back to the program that sent you here.'],
  nothing: [404, 'Nothing here', 'This is not a login that is waited for.'],
} as const;

/** Says what a person should do next; nothing of the request is repeated. */
function answer(response: ServerResponse, what: keyof typeof texts): void {
  const [status, title, text] = texts[what];
  const page = `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1><p>${text}</p></html>\n`;
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-length': Buffer.byteLength(page),
    'content-security-policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(page);
}

function nobodyCame(timeoutMs: number): KitError {
  const minutes = Math.round(timeoutMs / 60_000);
  return new KitError('timeout', `nobody came back from the login within ${minutes} minutes`, {
    hint: 'Log in again. Without a browser on this machine: mcpctl login --no-browser.',
  });
}
