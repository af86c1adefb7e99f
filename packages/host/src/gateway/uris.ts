/** What stands before URIs that name their server. */
const scheme = 'mcp-kit:';

/** A URI, or a template of URIs, that names the server it belongs to. */
export function qualifiedUri(server: string, uri: string): string {
  return `${scheme}${encodeURIComponent(server)}/${uri}`;
}

/** Server and URI of one that names its server. */
export function partsOfUri(
  uri: string,
): { readonly server: string; readonly uri: string } | undefined {
  if (!isQualified(uri)) return undefined;
  const at = uri.indexOf('/');
  if (at === -1) return undefined;
  try {
    const server = decodeURIComponent(uri.slice(scheme.length, at));
    return { server, uri: uri.slice(at + 1) };
  } catch {
    return undefined;
  }
}

/** Whether it looks as if it named a server; no server may give such URIs to what it has. */
export function isQualified(uri: string): boolean {
  return uri.toLowerCase().startsWith(scheme);
}
