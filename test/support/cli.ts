import { existsSync } from 'node:fs';
import { metaKeys, modernVersion } from 'mcp-kit/protocol';
import { Child, mcpctl } from './child-process.ts';

/** For `beforeAll`: these tests run the program as users do. */
export function requireBuild(): void {
  if (!existsSync(mcpctl)) throw new Error('mcpctl is not built: run the tests with npm test');
}

/** What `mcpctl serve --json` says. */
export interface Announced {
  readonly url: string;
  readonly try: string;
  readonly config: unknown;
}

/** Starts an HTTP server on a free port, and waits until it serves. */
export async function startHttp(
  ...args: readonly string[]
): Promise<{ readonly child: Child; readonly announced: Announced }> {
  const child = Child.mcpctl('serve', '--port', '0', '--json', ...args);
  const line = await child.until(() => /^.*\n/.exec(child.stdout)?.[0]);
  return { child, announced: JSON.parse(line) as Announced };
}

/** The `_meta` of a stateless request whose sender can show forms. */
export const modernMeta: Readonly<Record<string, unknown>> = {
  [metaKeys.protocolVersion]: modernVersion,
  [metaKeys.clientCapabilities]: { elicitation: {} },
};

/** Says hello in the handshake era, with the id `init`. */
export function initialize(capabilities: object = {}): object {
  const clientInfo = { name: 'test', version: '1' };
  return {
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities, clientInfo },
  };
}
