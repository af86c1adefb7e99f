import type { GatewayStatus, UpstreamStatus } from '@mcp-kit/host/gateway';
import { tell } from '../output.ts';
import { shellWord } from 'mcp-kit/internal';
import { plainLine } from '../terminal/plain-text.ts';

/** How a gateway is, with what to do about each server that cannot be used. */
export function statusReport(status: GatewayStatus): GatewayStatus {
  return { ...status, servers: status.servers.map(withNextStep) };
}

function withNextStep(server: UpstreamStatus): UpstreamStatus {
  const { name, reason, next } = server;
  if (reason === undefined || next !== undefined) return server;
  return { ...server, next: `Find out more: mcpctl doctor ${shellWord(name)}` };
}

/** Tells a person what becomes of each server, once for each news. */
export function reporter(): (status: GatewayStatus) => void {
  const told = new Map<string, string>();
  return (status) => {
    for (const server of statusReport(status).servers) {
      const line = lineOf(server);
      if (line === undefined || told.get(server.name) === line) continue;
      told.set(server.name, line);
      tell(plainLine(line));
      for (const difference of server.differences) tell(plainLine(`  ${difference}`));
    }
  };
}

/** Nothing while nothing is known. */
function lineOf(server: UpstreamStatus): string | undefined {
  const { name, reason, next = '', listing, withheld } = server;
  if (reason !== undefined) return `${name}: ${reason}. ${next}`;
  if (listing !== 'live') return undefined;
  const counts = (['tools', 'prompts', 'resources'] as const)
    .filter((kind) => server[kind] > 0)
    .map((kind) => `${server[kind]} ${server[kind] === 1 ? kind.slice(0, -1) : kind}`);
  const changed =
    withheld.length === 0
      ? ''
      : `; not what was approved, and withheld: ${withheld.join(', ')}. See mcpctl trust diff ${shellWord(name)}`;
  return `${name}: ${counts.length === 0 ? 'nothing to use' : counts.join(', ')}${changed}`;
}
