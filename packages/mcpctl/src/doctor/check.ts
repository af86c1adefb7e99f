import type { ServerEntry } from '@mcp-kit/host';
import { explain, outputClues, reachedAs } from '../clues.ts';
import type { Globals } from '../globals.ts';
import type { Opened } from '../open.ts';
import { count, describeFailure } from '../output.ts';
import { namedTable } from '../show/item.ts';
import { startSpinner } from '../terminal/spinner.ts';
import { msSince } from './rung.ts';

/** Whether a server works, in a few words. */
export interface Check {
  readonly server: string;
  /** `warning`: it works, and yet others may fail at it. `off`: its file says so. */
  readonly state: 'ok' | 'warning' | 'failed' | 'off';
  readonly era?: string | undefined;
  /** The revision that is spoken with it. */
  readonly version?: string | undefined;
  /** How many there are. */
  readonly tools?: number | undefined;
  /** How long it took to open it and to list its tools. */
  readonly ms?: number | undefined;
  readonly reason?: string | undefined;
  /** What to do about it. */
  readonly next?: string | undefined;
}

/** Opens every server and lists its tools, all at the same time. */
export async function checkAll(
  opened: Opened,
  { globals, stop }: { readonly globals: Globals; readonly stop: AbortSignal },
): Promise<readonly Check[]> {
  const waiting = new Set(opened.entries.map(({ name }) => name));
  const all = waiting.size;
  const text = (): string =>
    `${all - waiting.size} of ${all} checked, waiting for ${[...waiting].join(', ')}`;
  const spinner = globals.quiet ? undefined : startSpinner(text);
  try {
    return await Promise.all(
      opened.entries.map(async (entry) => {
        const check = await checkOne(entry, opened, { globals, stop });
        waiting.delete(entry.name);
        return check;
      }),
    );
  } finally {
    spinner?.stop();
  }
}

async function checkOne(
  entry: ServerEntry,
  { manager, witness }: Opened,
  { globals, stop }: { readonly globals: Globals; readonly stop: AbortSignal },
): Promise<Check> {
  const { name: server, enabled } = entry;
  if (!enabled) return { server, state: 'off' };
  const start = performance.now();
  const reached = reachedAs(entry, globals);
  try {
    const handle = manager.server(server);
    const { era, version, capabilities } = await handle.connect();
    const hasTools = capabilities.tools !== undefined;
    const tools = hasTools ? (await handle.listTools({ signal: stop })).tools.length : 0;
    const { lines, fix } = outputClues(witness.of(server), reached);
    const state = fix === undefined ? 'ok' : 'warning';
    const reason = fix === undefined ? undefined : lines[0];
    return { server, state, era, version, tools, ms: msSince(start), reason, next: fix };
  } catch (error) {
    const { message, hint } = describeFailure(explain(error, witness.of(server), reached));
    return { server, state: 'failed', ms: msSince(start), reason: message, next: hint };
  }
}

/** Whether all that are switched on work. */
export function isWell(checks: readonly Check[]): boolean {
  return checks.every(({ state }) => state !== 'failed');
}

/** The checks for people, a line each. */
export function checkTable(checks: readonly Check[], globals: Globals): string {
  const rows = checks.map(({ server, state, version, tools, ms, reason, next }) => [
    server,
    state === 'failed' ? 'FAILED' : state,
    version ?? '',
    tools === undefined ? '' : String(tools),
    ms === undefined ? '' : `${ms} ms`,
    [reason, next].filter((text) => text !== undefined).join(' → '),
  ]);
  return namedTable(['NAME', 'STATE', 'REVISION', 'TOOLS', 'TIME', 'WHY'], rows, globals);
}

/** `3 of 5 servers work, 1 failed, 1 switched off`. */
export function checkSum(checks: readonly Check[]): string {
  const of = (state: Check['state']): number => checks.filter((one) => one.state === state).length;
  const verb = checks.length === 1 ? 'works' : 'work';
  const parts = [`${of('ok') + of('warning')} of ${count(checks.length, 'server')} ${verb}`];
  if (of('failed') > 0) parts.push(`${of('failed')} failed: mcpctl doctor NAME tells more`);
  if (of('off') > 0) parts.push(`${of('off')} switched off`);
  return parts.join(', ');
}
