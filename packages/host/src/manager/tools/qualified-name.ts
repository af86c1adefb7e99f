import { crypto, KitError } from 'mcp-kit/internal';
import type { Catalog } from './catalog.ts';

/** Where a tool is. */
export interface ToolPlace {
  readonly server: string;
  /** Its name at that server. */
  readonly tool: string;
}

/** What every model API takes: the shortest limit of all, and a letter or underscore first. */
const valid = /^[A-Za-z_][A-Za-z0-9_-]{0,62}$/;
const longest = 63;
const separator = '__';
const digestLength = 10;
const digestEnd = new RegExp(`_[0-9a-f]{${digestLength}}$`);

/**
 * One name for a tool among those of all servers, valid in every model API: `server__tool`. Where that would be no valid
 * name, or could be that of another tool, it is as much of it as is valid, and a digest. It depends on nothing else, so that
 * it stays the same whatever other servers there are.
 */
export function qualifiedName({ server, tool }: ToolPlace): string {
  const plain = server + separator + tool;
  if (isPlain(server, plain)) return plain;
  const digest = crypto().createHash('sha256').update(`${server}\0${tool}`).digest('hex');
  const readable = plain.replaceAll(/[^A-Za-z0-9_-]/g, '_').replace(/^(?![A-Za-z_])/, '_');
  return `${readable.slice(0, longest - digestLength - 1)}_${digest.slice(0, digestLength)}`;
}

/** The place that a name says by itself; undefined where only a list of tools can tell. */
export function placeOfName(name: string): ToolPlace | undefined {
  const at = name.indexOf(separator);
  const server = name.slice(0, Math.max(at, 0));
  if (at < 0 || !isPlain(server, name)) return undefined;
  return { server, tool: name.slice(at + separator.length) };
}

/** Whether the first separator is the one between the two, and nothing looks like a digest. */
function isPlain(server: string, plain: string): boolean {
  const isClear = !server.includes(separator) && !server.endsWith('_');
  return isClear && valid.test(plain) && !digestEnd.test(plain);
}

/** Where the tools of a catalog are, by their qualified names. */
export function placesIn({ tools }: Catalog): ReadonlyMap<string, ToolPlace> {
  return new Map(
    tools.map(({ qualifiedName: name, server, tool }) => [name, { server, tool: tool.name }]),
  );
}

export function noSuchTool(name: string): KitError {
  return new KitError('invalid_argument', `there is no tool ${name}`, {
    hint: 'Use the qualifiedName that tools() gives.',
    details: { ran: false },
  });
}
