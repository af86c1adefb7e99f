import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRemoteJWKSet, jwtVerify, type JWTPayload } from 'jose';
import { createServer, type Feature } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { serveHttp } from 'mcp-kit/transport/http';

/** A server behind a guard that looks at tokens, and what can be changed about it while it runs. */
export interface GuardedServer extends AsyncDisposable {
  readonly url: string;
  /** Whose tokens it takes, and says so. */
  issuer: string;
  /** The scopes that a call of the tool `write` needs. */
  writeScopes: readonly string[];
  /** Tokens that are no longer good, although they look so. */
  readonly revoked: Set<string>;
  /** The tokens that came, in turn; undefined for requests without. */
  readonly tokens: (string | undefined)[];
  /** The same of calls of tools only: lists are asked for when nobody waits for them, too. */
  readonly callTokens: (string | undefined)[];
  /** Requests that were refused. */
  refused: number;
  close(): Promise<void>;
}

const texts = (name: string) =>
  tool({
    name,
    description: 'Says that it was called.',
    input: { type: 'object', properties: {} },
    run: () => `${name} was called`,
  });

/** Says whose token it was called with. */
export const whoami = tool({
  name: 'whoami',
  description: 'Says who you are.',
  annotations: { readOnlyHint: true },
  run: (_, { principal }) => String(principal),
});

/** Serves two tools, `read` and `write`, and perhaps more, to those who bring a token of the issuer for this server. */
export async function startGuardedServer(
  issuer: string,
  more: { readonly tools?: Parameters<typeof toolSet>[0]; readonly features?: Feature[] } = {},
): Promise<GuardedServer> {
  const { tools = [], features: others = [] } = more;
  const features = [toolSet([texts('read'), texts('write'), ...tools]), ...others];
  const inner = await serveHttp(createServer({ name: 'guarded', version: '1', features }), {
    identify: (headers) => headers['x-subject'] as string | undefined,
  });
  const outer = http.createServer((request, response) => {
    void handle(request, response);
  });
  outer.listen(0, '127.0.0.1');
  await once(outer, 'listening');
  const origin = `http://127.0.0.1:${(outer.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    outer.close();
    outer.closeAllConnections();
    await inner.close();
  };
  const state: GuardedServer = {
    url: `${origin}/mcp`,
    issuer,
    writeScopes: [],
    revoked: new Set(),
    tokens: [],
    callTokens: [],
    refused: 0,
    close,
    [Symbol.asyncDispose]: close,
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(metadata(state)));
      return;
    }
    const body = await read(request);
    const token = request.headers.authorization?.replace(/^\w+ /, '');
    state.tokens.push(token);
    const isCall = body.includes('tools/call');
    if (isCall) state.callTokens.push(token);
    const claims = await verify(token, state);
    if (claims === undefined) {
      refuse(response, 401, `Bearer resource_metadata="${origin}${metadataPath}", scope="read"`);
      return;
    }
    const granted = (claims['scope'] as string | undefined)?.split(' ') ?? [];
    const needs = body.includes('"write"') && isCall ? state.writeScopes : [];
    if (needs.some((scope) => !granted.includes(scope))) {
      const scope = needs.join(' ');
      refuse(response, 403, `Bearer error="insufficient_scope", scope="${scope}"`);
      return;
    }
    pass(request, response, { body, to: inner.url, subject: String(claims.sub) });
  }

  function refuse(response: ServerResponse, status: number, challenge: string): void {
    state.refused += 1;
    response.writeHead(status, { 'www-authenticate': challenge });
    response.end();
  }

  return state;
}

const metadataPath = '/.well-known/oauth-protected-resource/mcp';

function metadata({ url, issuer }: GuardedServer): object {
  return { resource: url, authorization_servers: [issuer], scopes_supported: ['read'] };
}

/** The claims of a token that is good here. The keys are asked for each time, so that they are never old. */
async function verify(
  token: string | undefined,
  { issuer, url, revoked }: GuardedServer,
): Promise<JWTPayload | undefined> {
  if (token === undefined || revoked.has(token)) return undefined;
  try {
    // A machine that is busy is no reason to refuse a token.
    const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`), { timeoutDuration: 600_000 });
    const options = { issuer, audience: url, typ: 'at+jwt', clockTolerance: 0 };
    return (await jwtVerify(token, keys, options)).payload;
  } catch {
    return undefined;
  }
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}

function pass(
  request: IncomingMessage,
  response: ServerResponse,
  { body, to, subject }: { readonly body: string; readonly to: string; readonly subject: string },
): void {
  const { method, headers } = request;
  const { authorization: _, host: _host, ...others } = headers;
  const known = { ...others, 'x-subject': subject };
  const onward = http.request(to, { method, headers: known }, (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  onward.end(body);
}
