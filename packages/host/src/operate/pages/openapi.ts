import type { Profile } from 'mcp-kit/transport/http';
import type { PagesOptions } from './pages.ts';

const rpc = { $ref: '#/components/schemas/Message' };
const json = { 'application/json': { schema: rpc } };
const events = {
  'text/event-stream': {
    schema: { type: 'string', description: 'Events whose data is a message.' },
  },
};

const header = (name: string, description: string, required = false) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});

const refused = (description: string, headers: Readonly<Record<string, string>> = {}) => ({
  description,
  content: json,
  headers: Object.fromEntries(
    Object.entries(headers).map(([name, text]) => [
      name,
      { description: text, schema: { type: 'string' } },
    ]),
  ),
});

const schemes = {
  bearer: { type: 'http', scheme: 'bearer' },
  apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
};
const version = header('MCP-Protocol-Version', 'The revision this request follows.');
const session = header('MCP-Session-Id', 'The session, in revisions up to 2025-11-25.');
const retry = { 'Retry-After': 'Seconds to wait.' };
const challenge = { 'WWW-Authenticate': 'What is missing, and where the metadata is.' };

/** Answers that do not depend on what was asked. */
const refusals = ({ secured, profile }: Surface) => ({
  401: secured ? refused('No credential, or one that is not valid.', challenge) : undefined,
  403: refused('The Host, the Origin or the scopes are not allowed.', secured ? challenge : {}),
  404: refused(
    isSessionMissing(404, profile) ? 'No such session, or no such method.' : 'No such method.',
  ),
  429: refused('Too many requests.', retry),
  503: refused('Too much is under way.', retry),
});

/** Whether a request that names no session, or none that there is, may be answered like this. */
function isSessionMissing(status: number, profile: Profile): boolean {
  return profile.missingSession === status || profile.unknownSession === status;
}

/** What the form of answers depends on. */
type Surface = Pick<PagesOptions, 'secured' | 'profile'>;

/** The HTTP surface of a server as an OpenAPI 3.1 document; what the messages mean is said by MCP itself. */
export function openApi(options: PagesOptions): object {
  const { path, publicUrl, title, issuers, secured } = options;
  const url = new URL(publicUrl());
  const base = url.origin + url.pathname.slice(0, url.pathname.length - path.length);
  const page = (summary: string) => ({
    get: {
      summary,
      security: [],
      responses: { 200: { description: 'Yes.', content: { 'application/json': {} } } },
    },
  });
  const ready = page('Whether calls that come now would be served.');
  return {
    openapi: '3.1.0',
    info: { title, version: '1', description: 'A Model Context Protocol endpoint.' },
    servers: [{ url: url.pathname.endsWith(path) ? base : url.origin }],
    security: secured ? [{ bearer: [] }, { apiKey: [] }] : undefined,
    paths: {
      [path]: {
        post: post(options),
        get: get(options),
        delete: {
          summary: 'Ends a session.',
          parameters: [session, version],
          responses: { 204: { description: 'It has ended.' }, ...refusals(options) },
        },
      },
      '/healthz': page('Whether the process answers.'),
      '/readyz': {
        get: {
          ...ready.get,
          responses: { ...ready.get.responses, 503: { description: 'No, and why.' } },
        },
      },
      '/.well-known/oauth-protected-resource':
        issuers.length > 0 ? page('Who issues tokens for this server (RFC 9728).') : undefined,
    },
    components: {
      schemas: {
        Message: {
          type: 'object',
          required: ['jsonrpc'],
          properties: { jsonrpc: { const: '2.0' } },
        },
      },
      securitySchemes: secured ? schemes : undefined,
    },
  };
}

function get(surface: Surface): object {
  const describes = surface.profile.plainGet === 'describe';
  return {
    summary: 'Opens the event stream of a session, or continues one.',
    parameters: [session, version, header('Last-Event-ID', 'The last event that arrived.')],
    responses: {
      200: describes
        ? {
            description: 'The stream; without Accept: text/event-stream, what this is.',
            content: { ...events, 'application/json': {} },
          }
        : { description: 'The stream.', content: events },
      400: refused('Not ready, or nothing to continue.'),
      405: describes ? undefined : refused('Accept does not list text/event-stream.'),
      ...refusals(surface),
    },
  };
}

function post(surface: Surface): object {
  const { answer, unacceptable } = surface.profile;
  const forms = answer === 'sse' ? events : answer === 'json' ? json : { ...json, ...events };
  return {
    summary: 'Sends one JSON-RPC message.',
    parameters: [
      version,
      session,
      header('Mcp-Method', 'Repeats the method, in 2026-07-28.'),
      header('Mcp-Name', 'Repeats the name or URI, in 2026-07-28.'),
    ],
    requestBody: { required: true, content: json },
    responses: {
      200: {
        description: 'The answer, or a stream that ends with it.',
        content: forms,
      },
      202: { description: 'Taken; there is no answer to it.' },
      400: refused('Not a message that can be served.'),
      406: unacceptable === 406 ? refused('Accept lists none of these forms.') : undefined,
      413: refused('Too large.'),
      415: refused('Not JSON.'),
      ...refusals(surface),
    },
  };
}
