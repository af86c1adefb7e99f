import type { LoadedConfig } from '@mcp-kit/host';
import {
  goneApprovals,
  readReceipts,
  receiptsPath,
  type GoneApproval,
} from '@mcp-kit/host/internal';
import { noServers, readConfig } from '../../config.ts';
import type { Globals } from '../../globals.ts';

/** What the files say, and the approvals of servers that are no longer in them. */
export interface Approvals {
  readonly config: LoadedConfig;
  readonly gone: readonly GoneApproval[];
}

/** Reads both; without any server, here or gone, there is nothing to be done. */
export async function readApprovals(globals: Globals): Promise<Approvals> {
  const config = await readConfig(globals);
  const gone = await goneApprovals(await readReceipts(receiptsPath(process.env)), config);
  if (config.entries.length + gone.length === 0) throw noServers(globals, config);
  return { config, gone };
}
