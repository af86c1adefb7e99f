import { Buffer } from 'node:buffer';
import type { IncomingMessage, RequestOptions } from 'node:http';
import { KitError, startTimer } from '#base';
import type { EgressPolicy } from './egress.ts';

/** What is sent with a fetch of authorization. */
interface FetchInit {
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | URLSearchParams | undefined;
  /** `follow` takes redirects within the origin, for GET; otherwise they are answers like any other. */
  readonly redirect?: 'follow' | 'manual' | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Like `fetch`, within the bounds of a policy: sizes, times, and no redirect to another origin. */
export type Fetch = (url: string | URL, init?: FetchInit) => Promise<Response>;

/** How much, and for how long, a fetch of authorization may read. */
interface FetchBounds {
  /** The longest answer; 1 MiB. */
  readonly maxBytes?: number | undefined;
  /** How long a request may take, with its answer; 15 s. */
  readonly timeoutMs?: number | undefined;
  /** Ends every request. */
  readonly signal?: AbortSignal | undefined;
}

const maxHops = 3;

/** The only way that authorization reaches the network; every URL is checked before it is used. */
export function createFetch(egress: EgressPolicy, bounds: FetchBounds = {}): Fetch {
  return async (url, init = {}) => {
    const follows = init.redirect === 'follow' && (init.method ?? 'GET') === 'GET';
    let place = new URL(url);
    for (let hops = 0; ; hops += 1) {
      const refused = egress.check(place);
      if (refused !== undefined) throw refused;
      const answer = await send(place, init, { egress, ...bounds });
      const location = answer.headers.get('location');
      if (!follows || location === null || !isRedirect(answer.status)) return answer;
      const next = URL.canParse(location, place.href) ? new URL(location, place) : undefined;
      if (next?.origin !== place.origin) throw redirected(place, 'a redirect to another origin');
      if (hops === maxHops) throw redirected(place, `more than ${maxHops} redirects`);
      place = next;
    }
  };
}

interface Ways extends FetchBounds {
  readonly egress: EgressPolicy;
}

function send(place: URL, init: FetchInit, ways: Ways): Promise<Response> {
  const { egress, maxBytes = 1024 * 1024, timeoutMs = 15_000, signal: until } = ways;
  const { request } =
    place.protocol === 'https:'
      ? process.getBuiltinModule('node:https')
      : process.getBuiltinModule('node:http');
  const signals = [until, init.signal].filter((signal) => signal !== undefined);
  return new Promise((resolve, reject) => {
    const options = { ...routeTo(place, init), agent: egress.agentFor(place) };
    const sent = request(options, (response) => {
      readAnswer(response, maxBytes).then(resolve, fail);
    });
    const timer = startTimer(() => fail(tooSlow(place, timeoutMs)), timeoutMs);
    const giveUp = (): void => {
      fail(new KitError('aborted', `${labelOf(place)}: given up by the caller`));
    };
    function fail(error: unknown): void {
      sent.destroy();
      reject(failure(place, error));
    }
    sent.on('error', fail);
    sent.on('close', () => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', giveUp);
    });
    for (const signal of signals) signal.addEventListener('abort', giveUp, { once: true });
    if (signals.some((signal) => signal.aborted)) giveUp();
    sent.end(init.body === undefined ? undefined : String(init.body));
  });
}

function routeTo(place: URL, init: FetchInit): RequestOptions {
  const { protocol, hostname, port, pathname, search, host } = place;
  const { body, method = 'GET', headers } = init;
  const usual: Record<string, string> = { host, 'user-agent': 'mcp-kit' };
  if (body instanceof URLSearchParams) {
    usual['content-type'] = 'application/x-www-form-urlencoded;charset=UTF-8';
  }
  if (body !== undefined) usual['content-length'] = String(Buffer.byteLength(String(body)));
  return {
    protocol,
    host: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port,
    path: pathname + search,
    method,
    headers: { ...usual, ...headers },
  };
}

/** Waits for the whole of an answer; a longer one than allowed is an error. */
function readAnswer(response: IncomingMessage, maxBytes: number): Promise<Response> {
  const { statusCode: status = 0, rawHeaders } = response;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) response.destroy(new Error(`an answer of more than ${maxBytes} bytes`));
    });
    response.on('end', () => {
      const headers = new Headers();
      for (let at = 0; at < rawHeaders.length; at += 2) {
        headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '');
      }
      const mayHaveBody = status >= 200 && ![204, 205, 304].includes(status);
      resolve(new Response(mayHaveBody ? Buffer.concat(chunks) : null, { status, headers }));
    });
    response.on('error', reject);
    response.on('close', () => reject(new Error('the answer was cut off')));
  });
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

/** A URL as it may be shown: its query may hold secrets. */
export function labelOf({ origin, pathname }: URL): string {
  return origin + pathname;
}

function failure(place: URL, cause: unknown): KitError {
  if (cause instanceof KitError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new KitError('unreachable', `cannot get an answer of ${labelOf(place)}: ${reason}`, {
    hint: 'Authorization needs it: check the network, and that this address is right.',
    cause,
  });
}

function tooSlow(place: URL, ms: number): KitError {
  const message = `no answer of ${labelOf(place)} within ${ms} ms`;
  return new KitError('timeout', message, { hint: 'Try again, or check the network.' });
}

function redirected(place: URL, what: string): KitError {
  return new KitError('http_status', `${labelOf(place)}: ${what}`, {
    hint: 'Nothing was sent there. What authorization needs to know must be said by whoever is asked.',
    details: { ran: false },
  });
}
