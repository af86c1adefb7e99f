import path from 'node:path';
import { createEraCache } from 'mcp-kit/client';
import { createManager, loadConfig, type Manager, type ManagerOptions } from '@mcp-kit/host';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import type { Service } from 'mcp-kit/protocol';
import type { Folder } from './config-fixture.ts';

/** A legacy server on standard input and output. */
const byHand: string = path.resolve(import.meta.dirname, '../faults/child/by-hand.mjs');

/** A server of both eras with one tool. */
export function echoService(): Service {
  const echo = tool({
    name: 'echo',
    description: 'Says it again.',
    input: { type: 'object', properties: { said: { type: 'string' } } },
    run: ({ said }) => String(said),
  });
  return createServer({ name: 'echo', version: '2', features: [toolSet([echo])] });
}

/** The argument list of a program in `mcp.json` v1. */
export const nodeServer = { transport: 'stdio', argv: [process.execPath, byHand] } as const;

/** A manager of what `mcp.json` v1 says, in a folder of its own; nothing of the user's is read or written. */
export async function manageV1(
  folder: Folder,
  config: { readonly client?: object; readonly servers: object },
  options: Partial<ManagerOptions> = {},
): Promise<Manager> {
  await folder.write('mcp.json', { version: 1, ...config });
  const { entries, client, errors } = await loadConfig({ root: folder.path });
  const [error] = errors;
  if (error !== undefined) throw error;
  return createManager({
    entries,
    client,
    root: folder.path,
    receipts: path.join(folder.path, 'trust.json'),
    toolCache: false,
    eraCache: createEraCache(),
    ...options,
  });
}
