import type { Mount } from './find-project.ts';
import type { JournalRecord } from './journal-record.ts';

/**
 * A transaction is a folder whose name says how far it came. Until it is `applying` nothing of the project was touched; once it
 * is `done` everything is in place; whatever is found `applying` was interrupted, and is taken back from the copies in it.
 */
export type Stage = 'preparing' | 'applying' | 'done' | 'discarded';

/** Where a transaction lies. */
export interface JournalEntry {
  readonly number: number;
  readonly stage: Stage;
  readonly folder: string;
}

/** A transaction whose files are being moved. */
export interface Applied {
  readonly entry: JournalEntry;
  readonly record: JournalRecord;
}

/** What the journal works on. `onStep` hears of every single change to the disk, before it is made. */
export interface JournalPlace {
  readonly root: string;
  readonly mounts: readonly Mount[];
  /** The folder of the transactions. */
  readonly folder: string;
  readonly onStep?: ((step: string) => void) | undefined;
}

/** Tells whoever listens what is about to be done. */
export function step({ onStep }: JournalPlace, what: string): void {
  onStep?.(what);
}
