import { existsSync } from 'node:fs';
import { metaKeys, modernVersion } from 'mcp-kit/protocol';
import { afterAll, beforeAll, expect } from 'vitest';
import { Child, mcpctl } from './child-process.ts';
import type { Finished } from './project.ts';

/** For `beforeAll`: these tests run the program as users do. */
export function requireBuild(): void {
  if (!existsSync(mcpctl)) throw new Error('mcpctl is not built: run the tests with npm test');
}

/** What `mcpctl serve --json` says. */
export interface Announced {
  readonly url: string;
  readonly try: string;
  readonly config: unknown;
  readonly metrics?: unknown;
}

/** Starts an HTTP server on a free port, and waits until it serves. */
export async function startHttp(
  ...args: readonly string[]
): Promise<{ readonly child: Child; readonly announced: Announced }> {
  const child = Child.mcpctl('serve', '--port', '0', '--json', ...args);
  return { child, announced: await announcementOf(child) };
}

/** What a server prints with --json when it listens. */
export async function announcementOf<T = Announced>(child: Child): Promise<T> {
  const line = await child.until(() => /^.*\n/.exec(child.stdout)?.[0]);
  return JSON.parse(line) as T;
}

/** Serves the samples over HTTP during the tests of a file or group; gives their address then. */
export function serveSamples(): () => string {
  let served: Awaited<ReturnType<typeof startHttp>> | undefined;
  beforeAll(async () => {
    requireBuild();
    served = await startHttp();
  });
  afterAll(() => served?.child[Symbol.asyncDispose]());
  return () => served?.announced.url ?? '';
}

/** A command line that cannot be meant: it says what is wrong, and in the next line what to type. */
export function expectUsageError(
  { code, stdout, stderr }: Finished,
  what: RegExp,
  next: RegExp,
): void {
  const [message = '', hint = ''] = stderr.split('\n');
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(message).toMatch(what);
  expect(hint).toMatch(next);
}

/** The `_meta` of a request of the modern era whose sender can show forms. */
export const modernMeta: Readonly<Record<string, unknown>> = {
  [metaKeys.protocolVersion]: modernVersion,
  [metaKeys.clientCapabilities]: { elicitation: {} },
};

/** Says hello in the legacy era, with the id `init`. */
export function initialize(capabilities: object = {}): object {
  const clientInfo = { name: 'test', version: '1' };
  return {
    jsonrpc: '2.0',
    id: 'init',
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities, clientInfo },
  };
}
