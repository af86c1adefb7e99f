import { KitError } from '#base';
import { isRecord, RpcError, rpcErrors } from '#jsonrpc';

/** Where to go on in a list. */
export interface PageOptions {
  readonly cursor?: string;
}

const maxPages = 10_000;

/** Walks through all pages of a list; a server that goes round in circles is stopped. */
export async function* walkPages<Page extends { readonly nextCursor?: string }, Item>(
  method: string,
  fetch: (options: PageOptions) => Promise<Page>,
  itemsOf: (page: Page) => readonly Item[],
): AsyncGenerator<Item, void, undefined> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await fetch(cursor === undefined ? {} : { cursor });
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
