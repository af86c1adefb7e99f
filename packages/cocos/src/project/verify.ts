import {
  checkTable,
  CocosError,
  heldSource,
  isSoundAround,
  parseMeta,
  parseTable,
  type Printed,
  readBack,
  type Table,
} from '#cocos/document';
import type { DraftFile } from './draft.ts';
import { decode, type FileStore } from './file-store.ts';

/** Reads back what is about to be written: a file that could not be opened again must never replace one that can. */
export function verify(
  { path: file, after, printed }: DraftFile,
  store: FileStore,
): Table | undefined {
  if (after === undefined) return undefined;
  try {
    if (/\.(scene|prefab)$/.test(file)) {
      const table = printed
        ? readBack(printed, file)
        : parseTable(decode(after), file, heldSource(after));
      if (!isSurelySound(printed, table)) refuseNewFaults(table, () => store.read(file)?.bytes);
      return table;
    }
    if (file.endsWith('.meta') && parseMeta(decode(after)) === undefined) {
      throw new CocosError('E_INTERNAL', 'it has no uuid');
    }
    return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CocosError('E_INTERNAL', `${file} would be damaged: ${reason}`, {
      suggestion: 'Nothing was written. Please report what was done.',
      cause: error,
    });
  }
}

/** Whether a look at what was printed anew is enough to know that everything hangs together as it did. */
function isSurelySound(printed: Printed | undefined, table: Table): boolean {
  if (printed === undefined || printed.hangsAsBefore) return printed !== undefined;
  const { base: before, anew: changed } = printed;
  if (before === undefined || changed === undefined || table !== printed.table) return false;
  return isSoundAround({ table, before, changed });
}

/** Faults that the file has had before are not for this edit to answer for. */
function refuseNewFaults(table: Table, before: () => Uint8Array | undefined): void {
  const faults = checkTable(table);
  if (faults.length > 0 && faults.length > faultsBefore(before())) {
    throw new CocosError('E_INTERNAL', faults.join('; '));
  }
}

function faultsBefore(before: Uint8Array | undefined): number {
  if (before === undefined) return 0;
  try {
    return checkTable(parseTable(decode(before), undefined, heldSource(before))).length;
  } catch {
    // It could not be opened, so anything is better.
    return Infinity;
  }
}
