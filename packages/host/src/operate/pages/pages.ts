import type { Page, Pages, Profile } from 'mcp-kit/transport/http';
import { openApi } from './openapi.ts';

/** Why new calls would not be served well; none means ready. */
export type Reasons = () => readonly string[];

/** What the pages say, and where they are. */
export interface PagesOptions {
  readonly path: string;
  /** Where clients reach the endpoint; known once it listens. */
  readonly publicUrl: () => string;
  readonly publicPath: string;
  readonly reasons: Reasons;
  readonly title: string;
  /** Who issues tokens for this server; none where there are only API keys, or nothing. */
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
  readonly secured: boolean;
  readonly profile: Profile;
}

const wellKnown = '/.well-known/oauth-protected-resource';

/** Where the metadata of a resource is: its own path follows the well-known one. */
export function metadataUrlOf(publicUrl: string): string {
  const { origin, pathname } = new URL(publicUrl);
  return `${origin}${wellKnown}${pathname === '/' ? '' : pathname}`;
}

const unkept = ['content-type', 'application/json', 'cache-control', 'no-store'] as const;

/** Answers as long as this process answers at all. */
export const alivePage = (): Page => ({ status: 200, headers: unkept, body: '{"status":"alive"}' });

/** Says whether calls that come now would be served, and if not, why. */
export function readyPage(reasons: Reasons): () => Page {
  return () => {
    const why = reasons();
    if (why.length === 0) return { status: 200, headers: unkept, body: '{"status":"ready"}' };
    const body = JSON.stringify({ status: 'not ready', reasons: why });
    return { status: 503, headers: unkept, body };
  };
}

/** What an operated server shows beside its endpoint. */
export function createPages(options: PagesOptions): Pages {
  const { path, publicPath, reasons, issuers } = options;
  const always: Pages = {
    '/healthz': alivePage,
    '/readyz': readyPage(reasons),
    '/openapi.json': fixed(() => openApi(options)),
  };
  if (issuers.length === 0) return always;
  const metadata = fixed(() => resourceMetadata(options));
  // At the root, too, and both with and without what a proxy in front may have cut from the path.
  const paths = [wellKnown, `${wellKnown}${path}`, `${wellKnown}${publicPath}`];
  return { ...always, ...Object.fromEntries(paths.map((place) => [place, metadata])) };
}

/** Who this resource is, and who issues tokens for it (RFC 9728). */
function resourceMetadata(options: PagesOptions): object {
  const { publicUrl, issuers, scopes, title } = options;
  return {
    resource: publicUrl(),
    authorization_servers: issuers,
    bearer_methods_supported: ['header'],
    scopes_supported: scopes.length > 0 ? scopes : undefined,
    resource_name: title,
  };
}

function fixed(document: () => object): () => Page {
  let body: string | undefined;
  const headers = ['content-type', 'application/json', 'cache-control', 'max-age=300'];
  return () => {
    body ??= JSON.stringify(document());
    return { status: 200, headers, body };
  };
}
