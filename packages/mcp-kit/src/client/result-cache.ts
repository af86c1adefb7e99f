import type { Params } from '#jsonrpc';

const longestMs = 24 * 60 * 60_000;
const maxEntries = 500;
/** Characters of results that are kept in all: a server may allow to keep its largest for a day. */
const maxCharacters = 32 * 1024 * 1024;

interface Kept {
  /** As JSON: each who asks gets a copy of their own, which they may change. */
  readonly text: string;
  readonly until: number;
  readonly isPublic: boolean;
}

/** Results that a server allows to be kept for a while, the newest of them. */
export class ResultCache {
  readonly #kept = new Map<string, Kept>();
  #characters = 0;

  /** A copy of a result that may still be used. */
  find(method: string, params: Params | undefined): object | undefined {
    if (this.#kept.size === 0) return undefined;
    const name = nameOf(method, params);
    const found = this.#kept.get(name);
    if (found === undefined) return undefined;
    if (performance.now() < found.until) return JSON.parse(found.text) as object;
    this.#forget(name);
    return undefined;
  }

  /** Keeps a result for as long as it says. */
  keep(
    method: string,
    params: Params | undefined,
    result: Readonly<Record<string, unknown>>,
  ): void {
    const { ttlMs, cacheScope } = result;
    if (typeof ttlMs !== 'number' || !(ttlMs > 0)) return;
    const name = nameOf(method, params);
    const text = JSON.stringify(result);
    const until = performance.now() + Math.min(ttlMs, longestMs);
    this.#forget(name);
    this.#kept.set(name, { text, until, isPublic: cacheScope === 'public' });
    this.#characters += text.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= maxEntries && this.#characters <= maxCharacters) return;
      this.#forget(oldest);
    }
  }

  /** Forgets what a notification says has changed; false when it says nothing of the kind. */
  invalidate(notification: string, params: Params | undefined): boolean {
    const affected = affectedBy(notification, params);
    for (const name of this.#kept.keys()) {
      if (affected.some((prefix) => name.startsWith(prefix))) this.#forget(name);
    }
    return affected.length > 0;
  }

  /** Forgets what is not public. */
  clear(): void {
    for (const [name, { isPublic }] of this.#kept) if (!isPublic) this.#forget(name);
  }

  #forget(name: string): void {
    this.#characters -= this.#kept.get(name)?.text.length ?? 0;
    this.#kept.delete(name);
  }
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
