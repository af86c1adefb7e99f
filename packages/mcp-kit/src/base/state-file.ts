import path from 'node:path';
import { crypto, files } from './node-modules.ts';

/** The folder where this user's programs keep what they know; ours in it. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  const given = env['XDG_STATE_HOME'];
  // A relative path is to be ignored, says the specification of these variables.
  const base =
    given !== undefined && path.isAbsolute(given)
      ? given
      : path.join(env['HOME'] ?? process.getBuiltinModule('node:os').homedir(), '.local', 'state');
  return path.join(base, 'mcp-kit');
}

/** Writes beside the file, and puts it in its place in one step: the file is whole at every moment. */
export async function replaceFile(file: string, text: string, mode: number): Promise<void> {
  const { chmod, open, rename, rm } = files();
  // `x` follows no link.
  const beside = `${file}.${crypto().randomBytes(6).toString('hex')}.tmp`;
  const handle = await open(beside, 'wx', mode);
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
