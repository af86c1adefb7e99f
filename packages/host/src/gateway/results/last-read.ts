import type { Kept } from './store.ts';

/** What was worked out of the result that was read last: let go of with it, and when another one is read. */
export function ofLastRead<Worked extends object>(begin: () => Worked): (kept: Kept) => Worked {
  const worked = new WeakMap<Kept, Worked>();
  let last: WeakRef<Kept> | undefined;
  return (kept) => {
    const known = worked.get(kept);
    if (known !== undefined) return known;
    const before = last?.deref();
    if (before !== undefined) worked.delete(before);
    const begun = begin();
    worked.set(kept, begun);
    last = new WeakRef(kept);
    return begun;
  };
}
