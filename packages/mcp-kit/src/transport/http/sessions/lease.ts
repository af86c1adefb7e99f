import type { Kv } from '#store';

const places = 'node/';
/** What a node says there; that it is there is what counts. */
export const leaseText = 'alive';

/** Where a node says that it is alive. */
export function leaseOf(endpoint: string, node: string): string {
  return `${places}${endpoint}/${node}`;
}

/** Lets others know at once that a node is gone, for whoever has seen its process end. */
export async function buryNode({ kv }: { readonly kv: Kv }, node: string): Promise<void> {
  const found = (await kv.list(places)).filter((at) => at.endsWith(`/${node}`));
  for (const at of found) await kv.cas(at, leaseText, undefined);
}
