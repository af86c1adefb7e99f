import { Buffer } from 'node:buffer';
import { Encoded, type Params } from '#jsonrpc';
import { invalidParams } from '#protocol';
import type { Context } from './context.ts';

interface ListOptions<T> {
  /** The member of the result that holds the items. */
  readonly member: string;
  /** What whoever has this view sees. */
  readonly items: (view: string) => readonly T[];
  /** Which of the lists a caller sees; there must be few. Absent: all see the same. */
  readonly view?: ((context: Context) => string) | undefined;
  /** What clients see of an item. */
  readonly show: (item: T) => object;
  readonly pageSize: number;
}

/** A list method: pages by cursor, and keeps each page's JSON until the list changes. */
interface ListMethod {
  handle(params: Params, context: Context): Encoded;
  /** The list has changed. */
  forget(): void;
}

/** Makes the handler of a method that lists. */
export function listMethod<T>(options: ListOptions<T>): ListMethod {
  const { member, items, show, pageSize, view = () => '' } = options;
  const pages = new Map<string, Encoded>();

  const build = (all: readonly T[], offset: number): Encoded => {
    const next = offset + pageSize;
    const page = all.slice(offset, next).map(show);
    const nextCursor = next < all.length ? encodeCursor(next) : undefined;
    return new Encoded(JSON.stringify({ [member]: page, nextCursor }), undefined, true);
  };

  return {
    handle(params, context) {
      const { cursor } = params;
      const offset = cursor === undefined ? 0 : decodeCursor(cursor);
      const seen = view(context);
      const key = `${offset} ${seen}`;
      let page = pages.get(key);
      if (page === undefined) {
        const all = items(seen);
        // Only where a page of ours begins: a page is kept for every offset that is served.
        const given = offset % pageSize === 0 && (offset === 0 || offset < all.length);
        if (!given) throw invalidParams('Invalid cursor');
        page = build(all, offset);
        pages.set(key, page);
      }
      return page;
    },
    forget: () => pages.clear(),
  };
}

function encodeCursor(offset: number): string {
  return Buffer.from(`at:${offset}`).toString('base64url');
}

function decodeCursor(cursor: unknown): number {
  const text = typeof cursor === 'string' ? Buffer.from(cursor, 'base64url').toString() : '';
  const offset = Number(/^at:([1-9]\d{0,8})$/.exec(text)?.[1]);
  if (encodeCursor(offset) !== cursor) throw invalidParams('Invalid cursor');
  return offset;
}
