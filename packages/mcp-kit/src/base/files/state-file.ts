import path from 'node:path';
import { KitError } from '../error.ts';
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

/** Runs what writes a file; what the system objects to becomes an error that names the file, and what to do. */
export async function whileWriting<T>(file: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof KitError) throw cause;
    const { code: said = 'for a reason unknown' } = cause as NodeJS.ErrnoException;
    const code = await codeOf(said, file);
    const hint = hints[code] ?? 'Check its folder, then try again.';
    throw new KitError('invalid_config', `${file} cannot be written (${code})`, { hint, cause });
  }
}

/** Where nothing can be written, folders that are missing are not made, and the system says that they are missing. */
async function codeOf(code: string, file: string): Promise<string> {
  const folder = path.dirname(file);
  if (code !== 'ENOENT' || folder === file) return code;
  const { access, constants } = files();
  try {
    await access(folder, constants.W_OK);
    return code;
  } catch (error) {
    return codeOf((error as NodeJS.ErrnoException).code ?? code, folder);
  }
}

const full = 'The disk is full: make room, then try again.';
const forbidden = 'You may not write there: change whose it is, or use another place.';
const hints: Readonly<Record<string, string>> = {
  ENOSPC: full,
  EDQUOT: full,
  EACCES: forbidden,
  EPERM: forbidden,
  EROFS: 'What it is on can only be read: use another place.',
};
