import { Cluster, Redis, type RedisOptions } from 'ioredis';
import { KitError } from 'mcp-kit';

/** A client of one server, of the one that Sentinel names, or of a cluster. */
export type Client = Redis | Cluster;

/** What a URL says. */
interface Place {
  readonly kind: 'server' | 'sentinel' | 'cluster';
  /** Without the secrets that a URL may have. */
  readonly shown: string;
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  /** What Sentinel calls the server. */
  readonly name: string;
  readonly options: Pick<RedisOptions, 'username' | 'password' | 'db' | 'tls'>;
}

const usualPort = { server: 6379, sentinel: 26_379, cluster: 6379 } as const;
const connectMs = 2000;

/** Where it is, without secrets. */
export function shownPlace(url: string): string {
  return placeOf(url).shown;
}

/** A client that fails at once where it has no connection, and asks nothing again by itself: what failed may have been done. */
export function newClient(url: string): Client {
  const { kind, hosts, name, options: own } = placeOf(url);
  const retryStrategy = (times: number): number => Math.min(2000, 25 * 2 ** Math.min(times, 10));
  const always = {
    connectTimeout: connectMs,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // Who watches says again what it watches.
    autoResubscribe: false,
    // One that is no longer the master refuses: the next one is looked for, and what was asked has failed.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    ...own,
  } satisfies RedisOptions;
  const single = { ...always, lazyConnect: true, enableOfflineQueue: false, retryStrategy };
  const client =
    kind === 'cluster'
      ? new Cluster([...hosts], {
          lazyConnect: true,
          enableOfflineQueue: false,
          shardedSubscribers: true,
          clusterRetryStrategy: retryStrategy,
          redisOptions: always,
        })
      : kind === 'sentinel'
        ? new Redis({
            ...single,
            sentinels: [...hosts],
            name,
            sentinelRetryStrategy: retryStrategy,
          })
        : new Redis({ ...single, ...hosts[0] });
  // Whoever asks is told.
  client.on('error', () => undefined);
  return client;
}

const form =
  /^(?<scheme>rediss?)(?:\+(?<mode>sentinel|cluster))?:\/\/(?:(?<login>[^@/]*)@)?(?<hosts>[^@/?#]+)(?:\/(?<path>[^?#]*))?$/;

function placeOf(url: string): Place {
  const { scheme, mode, login, hosts = '', path = '' } = form.exec(url)?.groups ?? {};
  const kind = mode === 'sentinel' || mode === 'cluster' ? mode : 'server';
  const named = hosts.split(',').map((text) => hostOf(text, usualPort[kind]));
  const parts = path.split('/').filter(Boolean).map(decodeURIComponent);
  const name = kind === 'sentinel' ? parts.shift() : '';
  const [db = '0', ...more] = parts;
  const isWrong = named.includes(undefined) || more.length > 0 || !/^\d{1,4}$/.test(db);
  if (isWrong || name === undefined) throw wrongUrl();
  return {
    kind,
    shown: hosts,
    hosts: named.filter((one) => one !== undefined),
    name,
    options: { ...loginOf(login), db: Number(db), tls: scheme === 'rediss' ? {} : undefined },
  };
}

/** `USER:PASSWORD`, of which either may be missing. */
function loginOf(text = ''): Pick<RedisOptions, 'username' | 'password'> {
  const [username, password] = text.split(':').map((part) => decodeURIComponent(part) || undefined);
  return { username, password };
}

function hostOf(text: string, port: number): { host: string; port: number } | undefined {
  const named = `tcp://${text}`;
  if (!URL.canParse(named)) return undefined;
  const url = new URL(named);
  const host = url.hostname.replaceAll(/[[\]]/g, '');
  return host === '' ? undefined : { host, port: url.port === '' ? port : Number(url.port) };
}

function wrongUrl(): KitError {
  return new KitError('invalid_argument', 'a store is named as redis://HOST:PORT', {
    hint: 'With a password: redis://:PASSWORD@HOST:PORT; with TLS: rediss://; redis+sentinel://HOST:PORT,HOST:PORT/NAME; redis+cluster://HOST:PORT,HOST:PORT.',
  });
}
