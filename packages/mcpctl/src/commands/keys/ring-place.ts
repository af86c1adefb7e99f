import { existsSync } from 'node:fs';
import path from 'node:path';
import type { KeyRing } from 'mcp-kit/internal';
import { openKeyRing } from 'mcp-kit/store';
import { print, printJson } from '../../output.ts';
import { isRemote, openStore } from '../../serve/state.ts';
import { table } from '../../terminal/table.ts';

/** Where a ring is, on the command line. */
export const place = {
  name: 'PLACE',
  help: 'The file of keys, or the store that has them: its folder, or redis://HOST:PORT.',
  files: true,
} as const;

/** Does something with the ring of a place, and shows what it is then. */
export async function withRing(
  typed: string,
  { json }: { readonly json?: boolean | undefined },
  work: (ring: KeyRing) => Promise<void>,
): Promise<void> {
  const isFolder = existsSync(path.join(typed, 'state.db'));
  const store =
    isFolder || isRemote(typed)
      ? await openStore(isFolder ? path.resolve(typed) : typed)
      : undefined;
  try {
    const ring = await openKeyRing(store ?? path.resolve(typed));
    ring.close();
    await work(ring);
    if (json === true) printJson({ keys: ring.list() });
    else print(tableOf(ring));
  } finally {
    await store?.close();
  }
}

function tableOf(ring: KeyRing): string {
  const rows = ring.list().map(({ kid, state, from, until = '' }) => [kid, state, from, until]);
  return table(rows, { head: ['KID', 'STATE', 'FROM', 'UNTIL'] });
}
