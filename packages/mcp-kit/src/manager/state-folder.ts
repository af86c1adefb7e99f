import { constants } from 'node:fs';
import { chmod, open, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { crypto } from '#base';

/** The folder where this user's programs keep what they know; ours in it. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  const given = env['XDG_STATE_HOME'];
  // A relative path is to be ignored, says the specification of these variables.
  const base =
    given !== undefined && path.isAbsolute(given)
      ? given
      : path.join(env['HOME'] ?? homedir(), '.local', 'state');
  return path.join(base, 'mcp-kit');
}

/** Writes beside the file, and puts it in its place in one step: the file is whole at every moment. */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  // `O_EXCL` follows no link.
  const beside = `${file}.${crypto().randomBytes(6).toString('hex')}.tmp`;
  const handle = await open(beside, O_WRONLY | O_CREAT | O_EXCL, mode);
  try {
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await chmod(beside, mode);
    await rename(beside, file);
  } catch (error) {
    await rm(beside, { force: true });
    throw error;
  }
}
