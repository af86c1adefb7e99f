import type { GatewaySettings } from '@mcp-kit/host';
import { usageError } from '../args.ts';

/** The groups that are offered, and which servers are: those of the group that was asked for, or all. */
export function groupsOf(
  { groups = {} }: GatewaySettings,
  group: string | undefined,
): { readonly names: readonly string[]; isServed(server: string): boolean } {
  const names = Object.keys(groups).sort();
  if (group === undefined) return { names, isServed: () => true };
  const chosen = Object.hasOwn(groups, group) ? groups[group] : undefined;
  if (chosen === undefined) {
    const there = names.length === 0 ? 'There is none' : `There are: ${names.join(', ')}`;
    throw usageError(
      `no group is called ${group}`,
      `${there}. Groups are in "gateway" of mcp.json: docs/gateway.md`,
    );
  }
  return { names: [], isServed: (server) => chosen.servers?.includes(server) ?? true };
}
