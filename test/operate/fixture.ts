import {
  Agent,
  createServer as createHttpServer,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey } from 'jose';
import { silentLogger, type Logger } from 'mcp-kit/internal';
import {
  operateHttp,
  type Operated,
  type OperateOptions,
  type ServerSettings,
} from '@mcp-kit/host/operate';
import { createServer, type Server } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import type { Call } from '../support/http-client.ts';

/** Says who calls. */
const whoami = tool({
  name: 'whoami',
  description: 'Names the caller.',
  run: (_args, context) => String(context.principal),
});

const erase = tool({ name: 'erase_all', description: 'Erases.', run: () => 'erased' });

const failing = tool({
  name: 'failing',
  description: 'Fails.',
  run: () => {
    throw new Error('a bug');
  },
});

/** Takes as long as it is told. */
const wait = tool({
  name: 'wait',
  description: 'Waits.',
  input: { type: 'object', properties: { ms: { type: 'number' } }, required: ['ms'] },
  run: async ({ ms }) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return 'waited';
  },
});

export function sampleServer(logger: Logger = silentLogger): Server {
  const features = [toolSet([whoami, erase, failing, wait], { logger })];
  return createServer({ name: 'sample', version: '1', features });
}

export type Operating = Operated & AsyncDisposable & { readonly server: Server };

/** Serves on a free port until the test ends. */
export async function operating(
  settings: ServerSettings,
  options: OperateOptions = {},
  server: Server = sampleServer(),
): Promise<Operating> {
  const operated = await operateHttp(server, settings, options);
  return Object.assign(operated, { server, [Symbol.asyncDispose]: () => operated.close() });
}

export const audience = 'https://mcp.example/mcp';

/** What a token says besides what is usual. */
interface TokenOptions {
  readonly subject?: string | undefined;
  readonly client?: string;
  readonly audience?: string | undefined;
  readonly issuer?: string;
  readonly scope?: string;
  readonly typ?: string;
  readonly expiresInSeconds?: number;
  readonly kid?: string;
  readonly key?: CryptoKey;
  readonly cnf?: object;
}

/** An authorization server on this machine that really signs, and counts who asks for its keys. */
export interface IssuerHere extends AsyncDisposable {
  readonly url: string;
  /** How often its keys were asked for. */
  keysAsked(): number;
  /** What was asked of its introspection, with which credentials. */
  readonly introspected: { readonly token: string; readonly authorization: string }[];
  token(options?: TokenOptions): Promise<string>;
  /** Signs with a new key from now on. */
  rotate(): Promise<void>;
  /** Answers everything so, until told otherwise. */
  answer:
    | ((request: IncomingMessage) => { status: number; headers?: Record<string, string> })
    | undefined;
  active: (token: string) => object;
}

export async function startIssuer(): Promise<IssuerHere> {
  let number = 0;
  const newKey = async () => {
    const pair = await generateKeyPair('ES256', { extractable: true });
    number += 1;
    const kid = `key-${number}`;
    return { ...pair, kid, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256' } };
  };
  let current = await newKey();
  let keysAsked = 0;
  const introspected: { token: string; authorization: string }[] = [];
  const issuer = {
    answer: undefined as IssuerHere['answer'],
    active: ((): object => ({ active: false })) as IssuerHere['active'],
  };
  const server = createHttpServer((request, response) => {
    const said = issuer.answer?.(request);
    if (said !== undefined) {
      response.writeHead(said.status, said.headers ?? {}).end();
      return;
    }
    const show = (document: object): void => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(document));
    };
    if (request.url === '/.well-known/oauth-authorization-server') {
      const introspection_endpoint = `${url}/introspect`;
      show({ issuer: url, jwks_uri: `${url}/keys`, introspection_endpoint });
    } else if (request.url === '/keys') {
      keysAsked += 1;
      show({ keys: [current.jwk] });
    } else if (request.url === '/introspect') {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const token = new URLSearchParams(body).get('token') ?? '';
        introspected.push({ token, authorization: String(request.headers.authorization) });
        show(issuer.active(token));
      });
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const url = `http://127.0.0.1:${port}`;
  return Object.assign(issuer, {
    url,
    keysAsked: () => keysAsked,
    introspected,
    async token(options: TokenOptions = {}) {
      const subject = 'subject' in options ? options.subject : 'ann';
      const { scope, typ = 'at+jwt', expiresInSeconds = 300 } = options;
      const { cnf, client = 'desktop' } = options;
      const claims = {
        ...(subject !== undefined && { sub: subject }),
        client_id: client,
        ...(scope !== undefined && { scope }),
        ...(cnf && { cnf }),
      };
      const now = Math.floor(Date.now() / 1000);
      const jwt = new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', typ, kid: options.kid ?? current.kid })
        .setIssuer(options.issuer ?? url)
        .setIssuedAt(now)
        .setExpirationTime(now + expiresInSeconds);
      const meant = 'audience' in options ? options.audience : audience;
      if (meant !== undefined) jwt.setAudience(meant);
      return jwt.sign(options.key ?? current.privateKey);
    },
    async rotate() {
      current = await newKey();
    },
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

export const bearer = (token: string): { readonly authorization: string } => ({
  authorization: `Bearer ${token}`,
});

/** The value of one sample of metrics; 0 when it is not there. */
export function sample(metrics: string, line: string): number {
  const found = metrics.split('\n').find((text) => text.startsWith(`${line} `));
  return found === undefined ? 0 : Number(found.slice(line.length + 1));
}

/**
 * 300 calls at 200 a second, most over connections that are used again; gives the status of each, or why there is none.
 * Something happens once, after half of them, as soon as a hundred have been answered.
 */
export async function steadyCalls(
  url: string,
  call: (number: number) => Call,
  happens: () => void,
): Promise<readonly (number | string)[]> {
  let answered = 0;
  let hasHappened = false;
  const count = (outcome: number | string): number | string => {
    if (outcome === 200) answered += 1;
    return outcome;
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 32 });
  const outcomes: Promise<number | string>[] = [];
  const begunMs = performance.now();
  try {
    while (outcomes.length < 300) {
      // 5 ms apart on average, however late timers are.
      const due = Math.min(300, (performance.now() - begunMs) / 5);
      while (outcomes.length < due) {
        const number = outcomes.length;
        const over = number % 4 === 0 ? false : agent;
        outcomes.push(callOver(over, url, call(number)).then(count));
      }
      if (!hasHappened && outcomes.length >= 150 && answered >= 100) {
        hasHappened = true;
        happens();
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    if (!hasHappened) happens();
    return await Promise.all(outcomes);
  } finally {
    agent.destroy();
  }
}

function callOver(agent: Agent | false, url: string, call: Call): Promise<number | string> {
  return new Promise((resolve) => {
    const failed = (error: Error): void => {
      const code = 'code' in error ? String(error.code) : error.message;
      // A new connection is reset when the system had it and the server had not taken it yet.
      const never = code === 'ECONNREFUSED' || (code === 'ECONNRESET' && !sent.reusedSocket);
      resolve(never ? 'not taken' : code);
    };
    const options = { agent, headers: call.headers ?? {}, method: 'POST' };
    const sent = httpRequest(url, options, (response) => {
      response.on('end', () => resolve(response.statusCode ?? 0)).on('error', failed);
      response.resume();
    });
    sent.on('error', failed).end(JSON.stringify(call.body));
  });
}
