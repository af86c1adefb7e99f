import http, { type ClientRequest, type ClientRequestArgs, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { KitError } from 'mcp-kit/internal';
import { msSince } from './rung.ts';

/** The stages of one HTTP request, in order. */
export type Stage = 'proxy' | 'dns' | 'tcp' | 'tls' | 'http';

/** What is asked of an HTTP server. */
export interface Question {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Makes the connection, and nobody else's: the one that judges where it leads, for servers that are not trusted. */
  readonly agent: http.Agent | https.Agent;
  /** It goes through a proxy, which looks the name up and connects. */
  readonly isProxied: boolean;
  readonly timeoutMs: number;
}

/** What was answered, as far as it came. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** The beginning of it. */
  body: string;
}

/** How far one request came, and what was seen on the way. */
export interface Probe {
  /** When each stage was over, in milliseconds after the one before. */
  readonly took: Readonly<Partial<Record<Stage, number>>>;
  readonly addresses: readonly string[];
  readonly address: string | undefined;
  readonly certificate: PeerCertificate | undefined;
  readonly tlsVersion: string | undefined;
  readonly response?: Answer | undefined;
  /** Where it ended, and why. */
  readonly failure?: { readonly stage: Stage; readonly error: Error } | undefined;
}

const maxBodyBytes = 64 * 1024;

/** Asks once, and notes each stage: looking up, connecting and asking are one operation, so what is seen is what happens. */
export async function probe(question: Question): Promise<Probe> {
  const notes = new Notes(question);
  let request: ClientRequest | undefined;
  let answer: Answer | undefined;
  const timer = setTimeout(() => {
    const message = `no answer within ${question.timeoutMs} ms`;
    request?.destroy(new KitError('timeout', message));
  }, question.timeoutMs);
  try {
    watch(question.agent, notes);
    request = startRequest(question);
    const response = await answerOf(request, notes);
    const { statusCode: status = 0, headers } = response;
    answer = { status, headers, body: '' };
    if (question.method === 'POST') await readBeginning(response, answer);
    return { ...notes.seen, response: answer };
  } catch (error) {
    const failure = { stage: notes.stage, error: error as Error };
    return { ...notes.seen, response: answer, failure };
  } finally {
    clearTimeout(timer);
    // What comes after the answer, a stream without end perhaps, is of no interest.
    request?.on('error', () => {}).destroy();
  }
}

function startRequest(question: Question): ClientRequest {
  const { url, method, headers, body, agent } = question;
  const { request } = url.protocol === 'https:' ? https : http;
  return request(url, { method, agent, headers }).end(body);
}

type Connected = (error: Error | null, stream: Duplex) => void;

/** Follows the connection from its first moment: a name that is known already is looked up before a request is told. */
function watch(agent: http.Agent | https.Agent, notes: Notes): void {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (asked: ClientRequestArgs, done?: Connected) => {
    const socket = connect(asked, (error, tunnel) => {
      if (error === null) notes.follow(tunnel as Socket);
      done?.(error, tunnel);
    });
    // One that leads through a proxy comes later.
    if (socket) notes.follow(socket as Socket);
    return socket;
  };
}

function answerOf(request: ClientRequest, notes: Notes): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      notes.over('http');
      resolve(response);
    });
  });
}

async function readBeginning(response: IncomingMessage, answer: Answer): Promise<void> {
  const { 'content-type': type = '' } = response.headers;
  if (type.startsWith('text/event-stream')) return;
  for await (const chunk of response.setEncoding('utf8')) {
    answer.body += String(chunk);
    if (answer.body.length > maxBodyBytes) break;
  }
}

/** What is seen of a connection as it opens. */
class Notes {
  readonly #isSecure: boolean;
  readonly #isProxied: boolean;
  readonly #took: Partial<Record<Stage, number>> = {};
  readonly #addresses: string[] = [];
  #since = performance.now();
  #stage: Stage = 'dns';
  #address: string | undefined;
  #certificate: PeerCertificate | undefined;
  #tlsVersion: string | undefined;

  constructor({ url, isProxied }: Pick<Question, 'url' | 'isProxied'>) {
    this.#isSecure = url.protocol === 'https:';
    this.#isProxied = isProxied;
    if (isProxied) this.#stage = 'proxy';
    // An address needs no lookup.
    else if (isIP(url.hostname.replace(/^\[|\]$/g, '')) !== 0) this.#stage = 'tcp';
  }

  get stage(): Stage {
    return this.#stage;
  }

  get seen(): Omit<Probe, 'response' | 'failure'> {
    return {
      took: this.#took,
      addresses: this.#addresses,
      address: this.#address,
      certificate: this.#certificate,
      tlsVersion: this.#tlsVersion,
    };
  }

  /** A stage is over; the next one begins. */
  over(stage: Stage): void {
    this.#took[stage] = msSince(this.#since);
    this.#since = performance.now();
    if (stage === 'dns') this.#stage = 'tcp';
    else if (stage === 'tcp' || stage === 'proxy') this.#stage = this.#isSecure ? 'tls' : 'http';
    else this.#stage = 'http';
  }

  follow(socket: Socket): void {
    if (this.#isProxied) this.over('proxy');
    else this.#followOpening(socket);
    if (!this.#isSecure) return;
    const secure = socket as TLSSocket;
    // A certificate that is not accepted is worth seeing as well: after this event it would be gone.
    secure.prependOnceListener('secure', () => {
      this.#certificate = secure.getPeerCertificate();
      this.#tlsVersion = secure.getProtocol() ?? undefined;
    });
    secure.once('secureConnect', () => this.over('tls'));
  }

  #followOpening(socket: Socket): void {
    socket.on('lookup', (error: Error | null, address: string) => {
      if (error !== null) return;
      if (this.#addresses.length === 0) this.over('dns');
      this.#addresses.push(address);
    });
    socket.once('connect', () => {
      this.over('tcp');
      this.#address = socket.remoteAddress;
    });
  }
}
