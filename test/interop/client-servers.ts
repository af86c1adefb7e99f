import path from 'node:path';
import { childTarget } from 'mcp-kit/transport/child-process';
import { httpTarget, sseTarget } from 'mcp-kit/transport/http-client';
import type { Target } from 'mcp-kit/protocol';
import { Child, root } from '../support/child-process.ts';
import { lastingPort } from '../support/lasting-port.ts';

const own = (name: string): string => path.join(root, 'test/interop', name);
const peer = (name: string): string => path.join(root, 'peers/node_modules', name);

const everything = peer('@modelcontextprotocol/server-everything/dist/index.js');
const mcpProxy = peer('mcp-proxy/dist/bin/mcp-proxy.mjs');
const supergateway = peer('supergateway/dist/index.js');
const sdkV1 = [own('client-sdk-v1.mjs'), 'stdio'] as const;
const sdkV2 = [own('client-sdk-v2.mjs'), 'stdio'] as const;
// What is started anew for each request had better start quickly.
const plain = [own('client-odd.mjs'), 'plain'] as const;
const pinned = [own('client-odd.mjs'), 'pins'] as const;

interface Program {
  /** What Node runs to serve at a port; many take it from the environment. */
  args(port: number): readonly string[];
  target(origin: string): Target;
}

const streamable = (origin: string): Target => httpTarget(`${origin}/mcp`);
const twoEndpoints = (origin: string): Target => sseTarget(`${origin}/sse`);

const sdk = (file: string, mode: string, ...more: readonly string[]): Program => ({
  args: () => [own(file), mode, ...more],
  target: streamable,
});

/** A bridge that starts one server, and serves it to all. */
const proxied = (target: Program['target']): Program => ({
  args: (port) => [mcpProxy, '--port', `${port}`, '--', process.execPath, ...sdkV1],
  target,
});

/** A bridge that starts a server for each session, or for each request. */
const bridged = (behind: readonly string[], ...options: readonly string[]): Program => ({
  args: (port) => {
    const command = [process.execPath, ...behind].map((word) => JSON.stringify(word)).join(' ');
    const where = ['--port', `${port}`, '--logLevel', 'none'];
    return [supergateway, ...where, ...options, '--stdio', command];
  },
  target: streamable,
});

/** What serves over HTTP here, none of it ours. */
const programs = {
  'SDK v1 with sessions': sdk('client-sdk-v1.mjs', 'http'),
  'SDK v1 with sessions, answering in JSON': sdk('client-sdk-v1.mjs', 'json'),
  'SDK v1 without sessions': sdk('client-sdk-v1.mjs', 'stateless'),
  'SDK v1 with two endpoints': {
    ...sdk('client-sdk-v1.mjs', 'sse'),
    target: twoEndpoints,
  },
  'SDK v1 with two endpoints, found by falling back': {
    ...sdk('client-sdk-v1.mjs', 'sse'),
    target: (origin) => httpTarget(`${origin}/sse`),
  },
  'SDK v2': sdk('client-sdk-v2.mjs', 'http'),
  'SDK v2 of the newest era only': sdk('client-sdk-v2.mjs', 'http', 'reject'),
  'server-everything': { args: () => [everything, 'streamableHttp'], target: streamable },
  'server-everything with two endpoints': {
    args: () => [everything, 'sse'],
    target: twoEndpoints,
  },
  'mcp-proxy': proxied(streamable),
  'mcp-proxy with two endpoints': proxied(twoEndpoints),
  'supergateway with sessions': bridged(sdkV1, '--outputTransport', 'streamableHttp', '--stateful'),
  'supergateway without sessions': bridged(plain, '--outputTransport', 'streamableHttp'),
  'supergateway of the newest era': bridged(pinned, '--outputTransport', 'streamableHttp'),
  'supergateway with two endpoints': {
    ...bridged(sdkV1, '--outputTransport', 'sse'),
    target: twoEndpoints,
  },
} satisfies Record<string, Program>;

export type ProgramName = keyof typeof programs;

/** How to reach what serves at a port in this way. */
export const targetAt = (name: ProgramName, port: number): Target =>
  programs[name].target(`http://127.0.0.1:${port}`);

/** A server in a process of its own; it and what it started are gone when its scope ends. */
export interface RunningServer extends AsyncDisposable {
  readonly target: Target;
  readonly origin: string;
  readonly port: number;
  /** Ends it without giving it a chance. */
  kill(): Promise<void>;
  /** Starts it again where it was. */
  start(): Promise<void>;
}

/** Starts a server, at a free port unless one is given. */
export async function startServer(
  name: ProgramName,
  givenPort?: number,
  variables: Readonly<Record<string, string>> = {},
): Promise<RunningServer> {
  const program: Program = programs[name];
  let running: Child | undefined;
  const port = givenPort ?? (await lastingPort());

  const start = async (): Promise<void> => {
    const args = ['--import', own('client-loopback.mjs'), ...program.args(port)];
    const env = { ...process.env, ...variables, PORT: `${port}` };
    const child = new Child(process.execPath, args, { detached: true, env });
    running = child;
    await child.until(() => child.stderr.includes(`at port ${port}\n`) || undefined);
  };
  const kill = async (): Promise<void> => {
    if (running !== undefined) endGroup(running);
    await running?.ended;
    running = undefined;
  };
  try {
    await start();
  } catch (error) {
    await kill();
    throw error;
  }
  const origin = `http://127.0.0.1:${port}`;
  const target = targetAt(name, port);
  return { target, origin, port, kill, start, [Symbol.asyncDispose]: kill };
}

function endGroup({ process: { pid, exitCode, signalCode } }: Child): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  process.kill(-pid, 'SIGKILL');
}

const stdio = (...args: readonly string[]): Target =>
  childTarget({ command: process.execPath, args });

/** What Node runs to serve with an SDK over stdio, in one era. */
export const sdkArgs = {
  legacy: sdkV1,
  modern: [...sdkV2, 'reject'],
} as const;

/** What a client starts itself, none of it ours. */
export const commands = {
  'SDK v1': () => stdio(...sdkV1),
  'SDK v2': () => stdio(...sdkV2),
  'SDK v2 of the newest era only': () => stdio(...sdkV2, 'reject'),
  'server-everything': () => stdio(everything, 'stdio'),
} as const;

export type CommandName = keyof typeof commands;

/** A server with an oddity, which may take its time to begin reading. */
export const oddServer = (oddity: string, delayMs = 0): Target =>
  stdio(own('client-odd.mjs'), oddity, `${delayMs}`);
