import { KitError, rpcErrors, shellWord, type Notification } from 'mcp-kit/internal';
import { Connection, RpcError } from 'mcp-kit/jsonrpc';
import { socketTarget } from 'mcp-kit/transport';
import { usageError, type Options } from '../args.ts';
import { controlPaths, removeStale } from './place.ts';
import type { ControlMethods, GatewayFacts, RunningStatus } from './protocol.ts';

/** Which gateway, where several run. */
export const gatewayOption = {
  gateway: {
    type: 'string',
    value: 'NAME',
    help: 'The running gateway: its name, URL or process id. Needed where several run and none is of this folder.',
  },
} as const satisfies Options;

/** A running gateway that is spoken with. */
export interface Running {
  readonly status: RunningStatus;
  ask<M extends keyof ControlMethods>(
    method: M,
    params: ControlMethods[M][0],
    signal?: AbortSignal,
  ): Promise<ControlMethods[M][1]>;
  /** Settles when the gateway has hung up. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** It answers from what it knows. */
const answerMs = 5000;
/** Ending and opening a server take as long as the server does. */
const workMs = 120_000;

/** Speaks with every gateway of this user; what killed ones have left is removed. */
export async function findRunning(hear?: (notice: Notification) => void): Promise<Running[]> {
  const all = await Promise.all(
    controlPaths().map(async (place) => {
      const running = await open(place.path, hear).catch(() => undefined);
      if (running === undefined) removeStale(place);
      return running;
    }),
  );
  const found = all.filter((running) => running !== undefined);
  return found.sort((one, other) => one.status.gateway.startedAt - other.status.gateway.startedAt);
}

async function open(path: string, hear?: (notice: Notification) => void): Promise<Running> {
  const channel = await socketTarget(path).dial();
  let hasClosed = (): void => {};
  const closed = new Promise<void>((resolve) => (hasClosed = resolve));
  const connection = new Connection(channel, () => ({
    request: (exchange) => {
      throw new RpcError(rpcErrors.methodNotFound, `no such method: ${exchange.message.method}`);
    },
    notification: (notice) => hear?.(notice),
    acceptsBatch: () => false,
    closed: () => hasClosed(),
  }));
  const ask: Running['ask'] = async (method, params, signal) => {
    const isQuick = method === 'status' || method === 'tools' || method === 'logs';
    const timeoutMs = isQuick ? answerMs : workMs;
    const answer = await connection.request(method, { ...params }, { timeoutMs, signal });
    // Both ends are of one version, or of versions that say so.
    return answer as ControlMethods[typeof method][1];
  };
  try {
    return { status: await ask('status', {}), ask, closed, close: () => connection.close() };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

/** Does something with the one gateway that is meant, and hangs up. */
export async function withRunning<T>(
  { gateway, root }: { readonly gateway: string | undefined; readonly root: string },
  work: (running: Running) => Promise<T>,
  hear?: (notice: Notification) => void,
): Promise<T> {
  const found = await findRunning(hear);
  try {
    return await work(choose(found, gateway, root));
  } catch (error) {
    throw asOwn(error);
  } finally {
    await Promise.all(found.map((running) => running.close()));
  }
}

/** What a gateway refuses is said in its own words. */
function asOwn(error: unknown): unknown {
  if (!(error instanceof RpcError)) return error;
  const { hint } = Object(error.data) as { readonly hint?: unknown };
  const isWrong = error.code === rpcErrors.invalidParams;
  return new KitError(isWrong ? 'invalid_argument' : 'closed', error.message, {
    hint: typeof hint === 'string' ? hint : 'See how they are: mcpctl ps',
  });
}

export function noneRuns(): KitError {
  return new KitError('unreachable', 'no gateway runs', { hint: 'Start one: mcpctl up' });
}

/** The gateway that was named; else the only one, or the only one of this folder. */
function choose(found: readonly Running[], named: string | undefined, root: string): Running {
  if (found.length === 0) throw noneRuns();
  const meant = named === undefined ? found : found.filter(({ status }) => isNamed(status, named));
  const here = meant.filter(({ status }) => status.gateway.root === root);
  const [only] = meant.length === 1 ? meant : here.length === 1 ? here : [];
  if (only !== undefined) return only;
  const all = found.map(({ status }) => describe(status.gateway)).join('\n  ');
  const what =
    meant.length === 0 ? `no gateway ${named} runs` : `${meant.length} gateways could be meant`;
  throw usageError(what, `Name one of them with --gateway:\n  ${all}`);
}

function isNamed({ gateway }: RunningStatus, named: string): boolean {
  const { name, address, pid } = gateway;
  return named === name || named === address || named === String(pid);
}

/** A gateway in a line. */
export function describe({ name, address, pid, root }: GatewayFacts): string {
  return `${shellWord(name)}  ${address}  pid ${pid}  ${root}`;
}

/** Says that there is no such server, and which there are. */
export function requireKnown(server: string | undefined, known: readonly string[]): void {
  if (server === undefined || known.includes(server)) return;
  throw usageError(`the running gateway has no server ${server}`, `It has: ${known.join(', ')}`);
}
