import { KitError, type KitErrorCode } from 'mcp-kit/internal';
import { checkArguments, type Session } from 'mcp-kit/client';
import type { ServerHandle, ToolListing, Withheld } from '@mcp-kit/host';
import { trustCommand } from '@mcp-kit/host/internal';
import type { Params } from 'mcp-kit/jsonrpc';
import type { Tool } from 'mcp-kit/protocol';
import { findTool, type Searched } from '../show/find.ts';
import { failedRung, msSince, type Rung, type RungName } from './rung.ts';

/** A session, or the rung that says why there is none. */
export type Opened = { readonly session: Session; readonly ms: number } | { readonly failed: Rung };

/** Opens a session; a failure belongs to the rung that it is a matter of. */
export async function openRung(
  open: () => Promise<Session>,
  kind: 'stdio' | 'unix' | 'http',
): Promise<Opened> {
  const start = performance.now();
  try {
    return { session: await open(), ms: msSince(start) };
  } catch (error) {
    const failed = failedRung(rungFor(error, kind), error, msSince(start));
    const fix = error instanceof KitError ? fixes[error.code] : undefined;
    return { failed: { ...failed, fix: failed.fix ?? fix } };
  }
}

/** What to do where the failure itself does not say. */
const fixes: Readonly<Partial<Record<KitErrorCode, string>>> = {
  timeout:
    'It does not answer as an MCP server does: check that it is one, or give it more time with --timeout-ms.',
  invalid_answer: 'Check that it is an MCP server, and that this is the address of its endpoint.',
  unsupported_version: 'Update mcpctl or the server, so that both know a common revision.',
};

function rungFor(error: unknown, kind: 'stdio' | 'unix' | 'http'): RungName {
  if (!(error instanceof KitError)) return 'version';
  // A process that ends closes the connection.
  const causes = [error.code, error.cause instanceof KitError ? error.cause.code : undefined];
  if (kind === 'stdio' && causes.includes('process_failed')) return 'start';
  return kind === 'http' && error.code === 'unauthorized' ? 'auth' : 'version';
}

/** What a server speaks, and who it says it is. */
export async function versionRung(session: Session, opened?: number): Promise<Rung> {
  const start = performance.now();
  try {
    const { supportedVersions } = await session.discover();
    const { era, version, server, capabilities } = session;
    const name =
      server === undefined ? 'a server without a name' : `${server.name} ${server.version}`;
    const others = supportedVersions.filter((other) => other !== version);
    const offers = Object.keys(capabilities);
    const more = [offers.length === 0 ? 'offers nothing' : `offers ${offers.join(', ')}`];
    if (others.length > 0) more.unshift(`also speaks ${others.join(', ')}`);
    const said = `${name}, revision ${version} (${era})`;
    return { name: 'version', state: 'ok', said, more, ms: opened ?? msSince(start) };
  } catch (error) {
    return failedRung('version', error, msSince(start));
  }
}

/** Which tools there are, and which of them cannot be used. */
export async function toolsRung(server: string, list: () => Promise<ToolListing>): Promise<Rung> {
  const start = performance.now();
  try {
    const { tools, withheld, denied, fresh } = await list();
    const ms = msSince(start);
    const broken = tools.flatMap(brokenSchema);
    const more = [
      ...withheld.map(({ name, reason }) => `${name} is withheld: ${reasons[reason]}`),
      ...broken,
    ];
    if (denied.length > 0) more.push(`denied by the configuration: ${denied.join(', ')}`);
    if (fresh.length > 0) more.push(`not seen when it was approved: ${fresh.join(', ')}`);
    const said = tools.length === 1 ? '1 tool' : `${tools.length} tools`;
    const rung = { name: 'tools', said, more, ms } as const;
    if (withheld.length > 0) {
      const fix = `See what changed: ${trustCommand('diff', server)}`;
      return { ...rung, state: 'warning', fix };
    }
    if (broken.length === 0) return { ...rung, state: 'ok' };
    return { ...rung, state: 'warning', fix: 'Report the schemas to the author of the server.' };
  } catch (error) {
    const failed = failedRung('tools', error, msSince(start));
    return { ...failed, fix: failed.fix ?? callFix(error) };
  }
}

/** A tool to be called, and what with. */
export interface ToolCall {
  readonly tool: string;
  readonly args: Params;
}

/** Calls a tool as the user asked for; one that is not there is not called. */
export async function callRung(
  { tool, args }: ToolCall,
  handle: ServerHandle,
  searched: Searched,
): Promise<Rung> {
  const start = performance.now();
  try {
    findTool(await handle.knownTools(), tool, searched);
    const { isError } = await handle.callTool(tool, args);
    const ms = msSince(start);
    if (isError !== true) return { name: 'call', state: 'ok', said: `${tool} answers`, ms };
    const said = `${tool} answers that it failed`;
    return { name: 'call', state: 'warning', said, fix: 'See what it says: mcpctl call', ms };
  } catch (error) {
    const failed = failedRung('call', error, msSince(start));
    return { ...failed, fix: failed.fix ?? callFix(error) };
  }
}

function callFix(error: unknown): string {
  const isLate = error instanceof KitError && error.code === 'timeout';
  return isLate
    ? 'Give it more time with --timeout-ms; --trace shows what crosses meanwhile.'
    : 'Report it to the author of the server, with what it said; --trace shows what crossed.';
}

const reasons: Readonly<Record<Withheld['reason'], string>> = {
  changed: 'it is not what was approved',
  ambiguous: 'it is listed twice, in two versions',
};

/** Says of a tool whose schema cannot be used why. */
function brokenSchema(tool: Tool): readonly string[] {
  try {
    checkArguments(tool, {});
    return [];
  } catch (error) {
    return [`${tool.name}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
