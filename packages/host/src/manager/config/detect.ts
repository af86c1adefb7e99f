import { isRecord } from 'mcp-kit/internal';
import { dialectOf, dialects } from './dialects/index.ts';
import type { Dialect } from './dialect.ts';
import type { DialectId } from './entry.ts';
import { valueAt } from './values.ts';

const standardTypes: ReadonlySet<unknown> = new Set(['stdio', 'sse', 'streamable-http']);

/** The hosts that a document is for, told by the path of its file, else by its shape. */
export function detectDialects(file: string, document: unknown): readonly Dialect[] {
  const ids = detect(file.replaceAll('\\', '/'), document);
  return ids.map((id) => dialectOf(id));
}

function detect(file: string, document: unknown): readonly DialectId[] {
  if (file.endsWith('.toml')) return ['codex'];
  const owner = dialects.find(({ owns }) => owns?.test(file))?.id;
  if (/\.ya?ml$/.test(file)) return [owner ?? 'goose'];
  const has = (...path: string[]): boolean => valueAt(document, path) !== undefined;
  // These two say themselves what they are, whatever the file is called.
  if (has('servers') && (has('version') || has('gateway'))) return ['mcp-kit'];
  if (hasOwnFields(valueAt(document, ['servers']))) return ['mcp-kit'];
  if (typeof valueAt(document, ['mcpServers']) === 'string') return ['compat'];
  // `.mcp.json` is for everybody; a host's own settings are its own.
  const shared = owner === 'claude-code' && !has('mcpServers') && !has('projects');
  const found = owner === undefined || shared ? byShape(document, has) : owner;
  return found === 'opencode' ? openCode(document) : [found];
}

/** Servers in words that only `mcp.json` of version 1 has; people leave the version out. */
function hasOwnFields(servers: unknown): boolean {
  const entries = isRecord(servers) ? Object.values(servers) : [];
  return entries.some(
    (entry) =>
      isRecord(entry) && (Array.isArray(entry['argv']) || entry['unix_path'] !== undefined),
  );
}

const shapes: readonly (readonly [readonly string[], DialectId])[] = [
  [['servers'], 'vscode'],
  [['customizations', 'vscode', 'mcp'], 'vscode'],
  [['context_servers'], 'zed'],
  [['mcp'], 'opencode'],
  [['mcp_servers'], 'codex'],
  [['extensions'], 'goose'],
  [['version'], 'mcp-kit'],
  [['gateway'], 'mcp-kit'],
];

function byShape(document: unknown, has: (...path: string[]) => boolean): DialectId {
  if (has('mcpServers')) return isStandard(document) ? 'sep-2633' : 'compat';
  return shapes.find(([path]) => has(...path))?.[1] ?? 'compat';
}

/** Both forms may be in one file. */
function openCode(document: unknown): readonly DialectId[] {
  const second = dialectOf('opencode-v2').sections?.(document, undefined) ?? [];
  return second.length > 0 ? ['opencode', 'opencode-v2'] : ['opencode'];
}

/** Every server has a type of the standard, and one shows more of it than other forms have. */
function isStandard(document: unknown): boolean {
  const servers = valueAt(document, ['mcpServers']);
  const entries = isRecord(servers)
    ? Object.values(servers).filter((entry) => isRecord(entry))
    : [];
  return (
    entries.every((entry) => standardTypes.has(entry['type'])) &&
    entries.some((entry) => entry['type'] === 'streamable-http' || entry['title'] !== undefined)
  );
}
