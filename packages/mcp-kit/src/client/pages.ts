import { KitError } from '#base';
import { isRecord, RpcError, rpcErrors } from '#jsonrpc';

/** Where to go on in a list. */
export interface PageOptions {
  readonly cursor?: string | undefined;
}

const maxPages = 10_000;

/** All pages of a list together, in characters and elements. */
const maxWeight = 64 * 1024 * 1024;

/** Walks through all pages of a list; a server that goes round in circles, or has more than a list is, is stopped. */
export async function* walkPages<Page extends { readonly nextCursor?: string | undefined }, Item>(
  method: string,
  fetch: (options: PageOptions) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<string>();
  let left = maxWeight;
  let cursor: string | undefined;
  do {
    const page = await fetch({ cursor });
    left -= weightOf(page);
    if (left < 0) throw new KitError('invalid_answer', `${method}: the list is too long`);
    yield* itemsOf(page);
    cursor = page.nextCursor;
    if (cursor !== undefined && (seen.has(cursor) || seen.size >= maxPages)) {
      throw new KitError('invalid_answer', `${method}: the list never ends`);
    }
    if (cursor !== undefined) seen.add(cursor);
  } while (cursor !== undefined);
}

/** A page with its items under `key`; a server that does not know the list has an empty one. */
export async function readPage<Page>(
  method: string,
  key: string,
  ask: () => Promise<unknown>,
): Promise<Page> {
  let page: unknown;
  try {
    page = await ask();
  } catch (error) {
    if (!(error instanceof RpcError) || error.code !== rpcErrors.methodNotFound) throw error;
    page = { [key]: [] };
  }
  if (!isRecord(page) || !Array.isArray(page[key])) {
    throw new KitError('invalid_answer', `${method}: the answer has no list "${key}"`);
  }
  const { nextCursor } = page;
  // Some servers write null for "no more".
  return (typeof nextCursor === 'string' ? page : { ...page, nextCursor: undefined }) as Page;
}

/** About how much memory a value takes: its characters, and some for each of its parts. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return partWeight;
  let weight = partWeight;
  for (const [name, part] of Object.entries(value)) weight += name.length + weightOf(part);
  return weight;
}

const partWeight = 16;
