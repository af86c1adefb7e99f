import { isRecord, RpcError, withoutUndefined } from 'mcp-kit/internal';
import type { ServerHandle } from '@mcp-kit/host';
import type { Tool, ToolAnnotations } from 'mcp-kit/protocol';
import { fromListed, type LintedTool } from 'mcp-kit/tools/inspect';
import { usageError } from '../args.ts';
import { parseJson } from '../arguments/typed.ts';
import type { Invocation } from '../command.ts';
import { readText } from '../arguments/text-file.ts';
import { withManager } from '../open.ts';
import { warn } from '../output.ts';
import { mentionOthers } from '../show/tool.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { askGoverned } from './ask.ts';

/** All that can be told about tools, sorted by name, and what they are the tools of. */
export interface ManifestDocument {
  readonly source: string;
  readonly tools: readonly LintedTool[];
}

type LintedApp = NonNullable<LintedTool['app']>;

interface Run extends Pick<Invocation, 'globals' | 'stop'> {
  /** The pages of apps are read as well. */
  readonly readsApps?: boolean | undefined;
}

/** Where a manifest comes from: a server is asked, `-` is standard input. */
export type ManifestSource = { readonly server: string } | { readonly file: string };

/** Reads what is known about tools. */
export function readManifest(source: ManifestSource, run: Run): Promise<ManifestDocument> {
  return 'file' in source ? manifestOfFile(source.file) : manifestOfServer(source.server, run);
}

/** The tools of a server, by what it tells of them itself where it is governed, else by its list. */
function manifestOfServer(server: string, run: Run): Promise<ManifestDocument> {
  const { globals, stop, readsApps } = run;
  return withManager({ globals, stop, server }, async ({ manager }) => {
    const handle = manager.server(server);
    const listing = await handle.listTools({ signal: stop });
    mentionOthers(server, listing, globals);
    const told = await toldBy(handle, { server, tools: listing.tools, run });
    const listed = listing.tools.map(describeTool);
    const tools = listed.map((tool) => {
      const manifest = told.get(tool.name);
      return manifest === undefined ? tool : withoutUndefined({ ...manifest, app: tool.app });
    });
    return { source: server, tools: readsApps ? await withPages(tools, handle, stop) : tools };
  });
}

/** The same tools with the pages of their apps; `null` where the server has none. */
async function withPages(
  tools: readonly LintedTool[],
  handle: ServerHandle,
  stop: AbortSignal,
): Promise<readonly LintedTool[]> {
  const uris = new Set(tools.flatMap(({ app }) => app?.resourceUri ?? []));
  if (uris.size === 0) return tools;
  const session = await handle.connect({ signal: stop });
  const pages = new Map<unknown, LintedApp['page']>();
  for (const uri of uris) {
    if (typeof uri !== 'string') continue;
    try {
      const { contents } = await session.request('resources/read', { uri }, { signal: stop });
      pages.set(uri, contents.find(isRecord) ?? null);
    } catch (error) {
      stop.throwIfAborted();
      if (!(error instanceof RpcError)) throw error;
      pages.set(uri, null);
    }
  }
  return tools.map(({ app, ...tool }) =>
    app === undefined ? tool : { ...tool, app: { ...app, page: pages.get(app.resourceUri) } },
  );
}

/** The tools in a file: a manifest, or what `tools/list` of a server has said. */
async function manifestOfFile(file: string): Promise<ManifestDocument> {
  const name = file === '-' ? 'standard input' : file;
  const hint = 'A manifest is what mcpctl manifest SERVER --output FILE writes.';
  const text = await readText(file, { name: file, hint: 'Name a file with a manifest.' });
  const value = parseJson(text, name, hint);
  const tools = Array.isArray(value) ? value : isRecord(value) ? value['tools'] : undefined;
  if (!Array.isArray(tools)) throw usageError(`${name} has no list of tools`, hint);
  const strange = tools.findIndex((tool) => !isTool(tool));
  if (strange !== -1) throw usageError(`${name}: tools[${strange}] is not a tool`, hint);
  const described = tools.filter(isTool).map(describeTool);
  return { source: name, tools: described.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

async function toldBy(
  handle: ServerHandle,
  { server, tools, run }: { server: string; tools: readonly Tool[]; run: Run },
): Promise<ReadonlyMap<string, LintedTool>> {
  const { globals, stop } = run;
  const known = new Map<string, LintedTool>();
  for (let offset = 0; ;) {
    const args = { full: true, offset };
    const told = await askGoverned(handle, 'get_tool_manifest', { tools, args, stop });
    if (told === undefined) return known;
    const { tools: list, nextOffset } = 'known' in told ? told.known : {};
    if (!Array.isArray(list)) {
      const why = 'refused' in told ? told.refused : 'it names no tools';
      const what = `${server}: get_tool_manifest does not tell, its list is used: ${why}`;
      warn(globals, plainLine(what));
      return new Map();
    }
    for (const manifest of list.filter(isManifest)) known.set(manifest.name, manifest);
    // What does not go on would go on for ever.
    if (typeof nextOffset !== 'number' || nextOffset <= offset) return known;
    offset = nextOffset;
  }
}

function isTool(value: unknown): value is Tool {
  return isRecord(value) && typeof value['name'] === 'string';
}

/** Lists of tools tell no safety; manifests do. */
function isManifest(value: unknown): value is LintedTool {
  if (!isRecord(value) || typeof value['name'] !== 'string' || !('safety' in value)) return false;
  const { inputSchema, outputSchema = {}, description = '' } = value;
  const { examples = [], errors = [], prerequisites = [] } = value;
  return (
    isRecord(inputSchema) &&
    isRecord(outputSchema) &&
    typeof description === 'string' &&
    [errors, prerequisites].every(Array.isArray) &&
    Array.isArray(examples) &&
    examples.every(isRecord)
  );
}

/** A tool as a list shows it, with what its hints say where it is not governed. */
function describeTool(tool: Tool): LintedTool {
  if (isManifest(tool)) return tool;
  const { name, description, inputSchema, outputSchema, annotations, _meta } = tool;
  const known = fromListed({
    name,
    inputSchema: isRecord(inputSchema) ? inputSchema : { type: 'object' },
    description: typeof description === 'string' ? description : undefined,
    outputSchema: isRecord(outputSchema) ? outputSchema : undefined,
    _meta: isRecord(_meta) ? _meta : undefined,
  });
  if (known.layer !== undefined) return known;
  return { ...known, ...hinted(isRecord(annotations) ? annotations : {}) };
}

/** What hints mean; without any, a tool may do anything. */
function hinted(hints: ToolAnnotations): Pick<LintedTool, 'safety' | 'idempotent'> {
  const { readOnlyHint, destructiveHint, idempotentHint } = hints;
  if (readOnlyHint === true) return { safety: 'readonly', idempotent: true };
  const safety = destructiveHint === false ? 'mutating' : 'destructive';
  return { safety, idempotent: idempotentHint === true };
}
