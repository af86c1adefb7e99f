import { single, type HeaderList, type Headers } from './responder.ts';

/** What lets pages of other origins read what this server answers. */
export interface Cors {
  /** The headers that every answer to this request carries besides its own. */
  headersFor(headers: Headers): HeaderList | undefined;
  /** The answer to a browser that asks before it sends a request; nothing when this is no such question. */
  preflight(headers: Headers): HeaderList | undefined;
}

const exposed = 'mcp-session-id, mcp-protocol-version, www-authenticate, retry-after';
const rememberSeconds = 600;

/** Speaks for pages of the listed origins, and says nothing to those of others. */
export function createCors(origins: readonly string[]): Cors {
  const listed = new Set(origins.map((origin) => origin.toLowerCase()));
  const headersFor = (headers: Headers): HeaderList | undefined => {
    const origin = single(headers, 'origin');
    if (origin === undefined || !listed.has(origin.toLowerCase())) return undefined;
    return [
      'access-control-allow-origin',
      origin,
      'access-control-expose-headers',
      exposed,
      'vary',
      'origin',
    ];
  };
  return {
    headersFor,
    preflight(headers) {
      if (headers['access-control-request-method'] === undefined) return undefined;
      if (headersFor(headers) === undefined) return undefined;
      const asked = single(headers, 'access-control-request-headers') ?? '';
      return [
        'access-control-allow-methods',
        'POST, GET, DELETE',
        'access-control-max-age',
        String(rememberSeconds),
        // Which headers repeat arguments depends on the tool, so the origin is what decides.
        ...(/^[\w\-, ]+$/.test(asked) ? ['access-control-allow-headers', asked] : []),
      ];
    },
  };
}
