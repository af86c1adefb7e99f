import type { Params } from '#jsonrpc';

const longestMs = 24 * 60 * 60_000;

interface Kept {
  /** As JSON: each who asks gets a copy of their own, which they may change. */
  readonly text: string;
  readonly until: number;
}

/** Results that servers allow to be kept for a while. One may be shared by sessions: only public results cross over. */
export interface ResultCache {
  /** A view for one session with one server. */
  partition(server: string): CachePartition;
}

/** What one session may use of a cache. */
export interface CachePartition {
  /** A copy of a result that may still be used. */
  find(method: string, params: Params | undefined): object | undefined;
  /** Keeps a result for as long as it says. */
  keep(method: string, params: Params | undefined, result: object): void;
  /** Forgets what a notification says has changed; false when it says nothing of the kind. */
  invalidate(notification: string, params: Params | undefined): boolean;
  /** Forgets what is not public. */
  clear(): void;
}

/** Characters of results that are kept in all: a server may allow to keep its largest for a day. */
const maxCharacters = 32 * 1024 * 1024;

/** Keeps results in memory, the newest of them. */
export function createResultCache(
  options: { readonly maxEntries?: number | undefined } = {},
): ResultCache {
  const { maxEntries = 500 } = options;
  const kept = new Map<string, Kept>();
  let characters = 0;
  let partitions = 0;

  const forget = (key: string): void => {
    characters -= kept.get(key)?.text.length ?? 0;
    kept.delete(key);
  };
  const drop = (prefix: string): void => {
    for (const key of kept.keys()) if (key.startsWith(prefix)) forget(key);
  };
  const findFresh = (key: string): object | undefined => {
    const found = kept.get(key);
    if (found === undefined) return undefined;
    if (performance.now() < found.until) return JSON.parse(found.text) as object;
    forget(key);
    return undefined;
  };

  return {
    partition(server) {
      partitions += 1;
      const scopes = [`public ${server} `, `private ${partitions} `] as const;
      const [publicly, privately] = scopes;
      const dropAll = (rest: string): void => {
        for (const scope of scopes) drop(`${scope}${rest}`);
      };
      return {
        find(method, params) {
          if (kept.size === 0) return undefined;
          const name = nameOf(method, params);
          return findFresh(privately + name) ?? findFresh(publicly + name);
        },
        keep(method, params, result) {
          const ttlMs: unknown = Reflect.get(result, 'ttlMs');
          if (typeof ttlMs !== 'number' || !(ttlMs > 0)) return;
          const scope = Reflect.get(result, 'cacheScope') === 'public' ? publicly : privately;
          const key = scope + nameOf(method, params);
          const text = JSON.stringify(result);
          forget(key);
          kept.set(key, { text, until: performance.now() + Math.min(ttlMs, longestMs) });
          characters += text.length;
          for (const oldest of kept.keys()) {
            if (kept.size <= maxEntries && characters <= maxCharacters) break;
            forget(oldest);
          }
        },
        invalidate(notification, params) {
          const affected = affectedBy(notification, params);
          for (const prefix of affected) dropAll(prefix);
          return affected.length > 0;
        },
        clear: () => drop(privately),
      };
    },
  };
}

/** Same method, same parameters that matter: same name. */
function nameOf(method: string, params: Params | undefined): string {
  const { _meta: _, ...rest } = params ?? {};
  return `${method} ${JSON.stringify(rest)}`;
}

function affectedBy(notification: string, params: Params | undefined): readonly string[] {
  switch (notification) {
    case 'notifications/tools/list_changed':
      return ['tools/list '];
    case 'notifications/prompts/list_changed':
      return ['prompts/list '];
    case 'notifications/resources/list_changed':
      return ['resources/list ', 'resources/templates/list ', 'resources/read '];
    case 'notifications/resources/updated':
      return [nameOf('resources/read', { uri: params?.['uri'] })];
    default:
      return [];
  }
}
