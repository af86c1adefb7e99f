import { Cluster, type Redis } from 'ioredis';
import { KitError } from 'mcp-kit';
import { newClient, shownPlace, type Client } from './client.ts';
import type { Script } from './scripts.ts';

/** A connection that is made again whenever it breaks. */
export interface Connection {
  /** The servers that have the data: one, or those of a cluster. */
  servers(): readonly Redis[];
  /** Asks for something; fails rather than to wait for long. What failed may have been done. */
  ask<T>(work: (redis: Client) => Promise<T>): Promise<T>;
  run(script: Script, keys: readonly string[], args: readonly string[]): Promise<unknown>;
  close(): Promise<void>;
}

/** More than this is not asked at once. */
const maxAsked = 10_000;

/** Connects to a server, and checks that it keeps what it is given. */
export async function connect(url: string, answerMs: number): Promise<Connection> {
  const place = shownPlace(url);
  const redis = newClient(url);
  const connection = converse(redis, { place, answerMs });
  try {
    await redis.connect();
    for (const server of connection.servers()) check(await server.info());
    return connection;
  } catch (cause) {
    redis.disconnect();
    if (cause instanceof KitError) throw cause;
    const hint = 'Start Redis or Valkey there, or name another place.';
    const message = `the store at ${place} cannot be reached: ${messageOf(cause)}`;
    throw new KitError('unreachable', message, { hint, cause });
  }
}

function converse(
  redis: Client,
  { place, answerMs }: { readonly place: string; readonly answerMs: number },
): Connection {
  const ready = readiness(redis);
  let asked = 0;
  const ask: Connection['ask'] = async (work) => {
    if (asked >= maxAsked) throw new KitError('overloaded', `too much waits for ${place}`);
    asked += 1;
    const late = createTimer(answerMs, () => {
      // What was sent must not be done later, when something else has been asked since.
      if (redis.status === 'ready') redis.disconnect(true);
    });
    try {
      if (redis.status !== 'ready') await Promise.race([ready(), late.promise]);
      return await Promise.race([work(redis), late.promise]);
    } catch (cause) {
      throw errorOf(cause, place);
    } finally {
      late.clear();
      asked -= 1;
    }
  };
  return {
    servers: () => (redis instanceof Cluster ? redis.nodes('master') : [redis]),
    ask,
    run: (script, keys, args) =>
      ask(async () => {
        try {
          return await redis.evalsha(script.sha, keys.length, ...keys, ...args);
        } catch (error) {
          if (!messageOf(error).startsWith('NOSCRIPT')) throw error;
          return redis.eval(script.text, keys.length, ...keys, ...args);
        }
      }),
    async close() {
      await redis.quit().catch(() => undefined);
      redis.disconnect();
    },
  };
}

interface Timer {
  readonly promise: Promise<never>;
  clear(): void;
}

function createTimer(ms: number, onEnd: () => void): Timer {
  let timer: NodeJS.Timeout | undefined;
  const promise = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      onEnd();
      reject(new Error(`no answer within ${ms} ms`));
    }, ms);
  });
  return { promise, clear: () => clearTimeout(timer) };
}

/** Settles when there is a connection again; one listener, however many wait. */
function readiness(redis: Client): () => Promise<void> {
  let waiting: Promise<void> | undefined;
  return () => {
    if (redis.status === 'end') {
      return Promise.reject(new KitError('closed', 'the store is closed'));
    }
    waiting ??= new Promise((resolve) => {
      redis.once('ready', () => {
        waiting = undefined;
        resolve();
      });
    });
    return waiting;
  };
}

const oldest = 7;

/** Refuses a server that forgets what it was told to keep, or cannot do what is asked of it. */
function check(info: string): void {
  const [, version = ''] = /^redis_version:(.*?)\r?$/m.exec(info) ?? [];
  const [, policy = ''] = /^maxmemory_policy:(.*?)\r?$/m.exec(info) ?? [];
  if (Number.parseInt(version, 10) < oldest) {
    throw new KitError('invalid_argument', `the store is Redis ${version}; it takes Redis 7`, {
      hint: 'Use Redis 7 or Valkey 8, or later.',
    });
  }
  if (policy !== 'noeviction') {
    throw new KitError('invalid_argument', `the store forgets values when it is full: ${policy}`, {
      hint: 'Set maxmemory-policy to noeviction.',
    });
  }
}

function errorOf(cause: unknown, place: string): KitError {
  if (cause instanceof KitError) return cause;
  const message = messageOf(cause);
  if (message.startsWith('OOM')) {
    return new KitError('overloaded', `the store at ${place} is full`, {
      hint: 'Wait until something of it has expired, or give it more memory.',
      cause,
    });
  }
  return new KitError('unreachable', `the store at ${place} failed: ${message}`, { cause });
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
