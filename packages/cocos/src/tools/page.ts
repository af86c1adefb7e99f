/** A part of a list, and where it goes on. */
export interface Page<Item> {
  items: Item[];
  total: number;
  nextOffset?: number | undefined;
}

/** The part of a list that was asked for. */
export function pageOf<Item>(
  all: readonly Item[],
  {
    offset = 0,
    limit = 50,
  }: { readonly offset?: number | undefined; readonly limit?: number | undefined },
): Page<Item> {
  const items = all.slice(offset, offset + limit);
  const next = offset + items.length;
  const isLast = items.length === 0 || next >= all.length;
  return { items, total: all.length, nextOffset: isLast ? undefined : next };
}
