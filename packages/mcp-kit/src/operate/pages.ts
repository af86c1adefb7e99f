import type { Page, Pages, Profile } from '#transport/http';
import { alivePage, readyPage, type Reasons } from './health.ts';
import { openApi } from './openapi.ts';

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
    ...(scopes.length > 0 && { scopes_supported: scopes }),
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
