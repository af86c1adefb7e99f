import { appScheme } from 'mcp-kit/internal';

/** What stands before URIs that name their server. */
const scheme = 'mcp-kit:';
const skillScheme = 'skill://';
/** These have paths of any length, whose first part names the server here: they stay what they are to those who know them. */
const ownSchemes = [skillScheme, appScheme];
/** Longer than what any of them begins with. */
const beginning = 16;

/** A URI, or a template of URIs, that names the server it belongs to. */
export function qualifiedUri(server: string, uri: string): string {
  const name = encodeURIComponent(server);
  const own = ownSchemes.find((one) => uri.startsWith(one));
  return own === undefined ? `${scheme}${name}/${uri}` : `${own}${name}/${uri.slice(own.length)}`;
}

/** Server and URI of one that names its server. */
export function partsOfUri(
  uri: string,
): { readonly server: string; readonly uri: string } | undefined {
  const begins = beginningOf(uri);
  if (begins === undefined) return undefined;
  const from = begins.length;
  const at = uri.indexOf('/', from);
  if (at === -1) return undefined;
  try {
    const server = decodeURIComponent(uri.slice(from, at));
    const rest = uri.slice(at + 1);
    return { server, uri: begins === scheme ? rest : begins + rest };
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
  return beginningOf(uri) !== undefined;
}

function beginningOf(uri: string): string | undefined {
  const text = uri.slice(0, beginning).toLowerCase();
  return [scheme, ...ownSchemes].find((one) => text.startsWith(one));
}
