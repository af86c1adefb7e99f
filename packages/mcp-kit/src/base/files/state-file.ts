import path from 'node:path';
import { crypto, files } from '../node-modules.ts';

/** The folder where this user's programs keep what they know; ours in it. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  const base = absolute(env['XDG_STATE_HOME']) ?? path.join(homeOf(env), '.local', 'state');
  return path.join(base, 'mcp-kit');
}

/** Whoever runs this has a home, also when the environment says something else or nothing. */
function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  return absolute(env['HOME']) ?? process.getBuiltinModule('node:os').userInfo().homedir;
}

/** A relative folder would be one of the project that happens to be open, and its owner's word would be the user's. */
function absolute(folder: string | undefined): string | undefined {
  return folder !== undefined && path.isAbsolute(folder) ? folder : undefined;
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
