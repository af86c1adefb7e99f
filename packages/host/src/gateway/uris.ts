/** What stands before URIs that name their server. */
const scheme = 'mcp-kit:';
/** Skills have paths of any length, whose first part names the server here: they stay skills to those who know them. */
const skillScheme = 'skill://';

/** A URI, or a template of URIs, that names the server it belongs to. */
export function qualifiedUri(server: string, uri: string): string {
  const name = encodeURIComponent(server);
  return uri.startsWith(skillScheme)
    ? `${skillScheme}${name}/${uri.slice(skillScheme.length)}`
    : `${scheme}${name}/${uri}`;
}

/** Server and URI of one that names its server. */
export function partsOfUri(
  uri: string,
): { readonly server: string; readonly uri: string } | undefined {
  if (!isQualified(uri)) return undefined;
  const isSkill = !uri.toLowerCase().startsWith(scheme);
  const from = isSkill ? skillScheme.length : scheme.length;
  const at = uri.indexOf('/', from);
  if (at === -1) return undefined;
  try {
    const server = decodeURIComponent(uri.slice(from, at));
    const rest = uri.slice(at + 1);
    return { server, uri: isSkill ? skillScheme + rest : rest };
  } catch {
    return undefined;
  }
}

/** The server whose skills are below a URI, where all of them are. */
export function serverOfTop(uri: string): string | undefined {
  const parts = partsOfUri(`${uri}/`);
  return parts?.uri === skillScheme ? parts.server : undefined;
}

/** Whether it looks as if it named a server; no server may give such URIs to what it has. */
export function isQualified(uri: string): boolean {
  const text = uri.slice(0, Math.max(scheme.length, skillScheme.length)).toLowerCase();
  return text.startsWith(scheme) || text.startsWith(skillScheme);
}
