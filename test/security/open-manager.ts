import path from 'node:path';
import { createManager, loadConfig, type Manager, type ManagerOptions } from '@mcp-kit/host';

/** The manager of what a folder configures, which remembers approvals in that folder and nothing else. */
export async function openManager(
  root: string,
  options: Partial<ManagerOptions> = {},
): Promise<Manager> {
  const { entries } = await loadConfig({ root });
  const receipts = path.join(root, 'state', 'trust.json');
  const quiet = { toolCache: false, reconnect: false } as const;
  return createManager({ entries, root, receipts, ...quiet, ...options });
}
