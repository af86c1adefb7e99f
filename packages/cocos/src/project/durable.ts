import { open } from 'node:fs/promises';

/** Writes a new file, and returns when it would survive a loss of power. */
export async function writeDurably(
  file: string,
  content: Uint8Array | string,
  mode?: number,
): Promise<void> {
  const handle = await open(file, 'wx');
  try {
    if (mode !== undefined) await handle.chmod(mode);
    await handle.writeFile(content);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes what happened to the names in a folder survive a loss of power, where the system can do that. */
export async function syncFolder(folder: string): Promise<void> {
  // Windows keeps names safe by itself, and cannot open folders.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The code of a failure of the file system. */
export function codeOf(error: unknown): string | undefined {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}
