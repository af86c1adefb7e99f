import { lstat } from 'node:fs/promises';
import path from 'node:path';
import type { LoadedConfig } from '../config/load.ts';
import type { Receipt } from './receipt.ts';
import type { Receipts } from './receipts-file.ts';

/** An approval of a server that is no longer where it was. Should it come back as it was, it would be trusted. */
export interface GoneApproval {
  readonly name: string;
  /** The configuration that it was in. */
  readonly file: string;
  readonly receipt: Receipt;
}

type Looked = Pick<LoadedConfig, 'entries' | 'shadowed' | 'sources' | 'errors'>;

/** The approvals whose server has left its file, or whose file is gone; a file that was not looked at still counts. */
export async function goneApprovals(
  receipts: Receipts,
  config: Looked,
): Promise<readonly GoneApproval[]> {
  const present = [...config.entries, ...config.shadowed];
  const broken = new Set(config.errors.map(({ details }) => details?.['file']));
  const read = new Set([
    ...config.sources.map(({ file }) => file),
    ...present.map(({ provenance }) => provenance.file),
  ]);
  const isHere = (file: string, name: string): boolean =>
    present.some((entry) => entry.name === name && path.resolve(entry.provenance.file) === file);
  const gone = [...receipts].map(async ([file, servers]) => {
    // What a broken file would say is not known.
    const isKnown = (read.has(file) && !broken.has(file)) || (await isMissing(file));
    const left = [...servers].filter(([name]) => isKnown && !isHere(file, name));
    return left.map(([name, receipt]) => ({ name, file, receipt }));
  });
  return (await Promise.all(gone)).flat();
}

async function isMissing(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return false;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR';
  }
}
