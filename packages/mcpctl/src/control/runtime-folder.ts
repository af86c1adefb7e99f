import { lstatSync, mkdirSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/** The longest path that every system takes for a socket. */
export const longestPath = 100;

/**
 * The folder for sockets of one kind, made if it is missing; undefined where there is none that is this user's alone. Nobody else
 * can reach what is in it, whatever the rights of that are.
 */
export function runtimeFolder(
  kind: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const base =
    env['XDG_RUNTIME_DIR'] ?? env['XDG_STATE_HOME'] ?? join(env['HOME'] ?? '', '.local/state');
  if (process.getuid === undefined || !isAbsolute(base)) return undefined;
  const folder = join(base, 'mcp-kit', kind);
  return isOwn(folder) ? folder : undefined;
}

function isOwn(folder: string): boolean {
  try {
    const found =
      lstatSync(folder, { throwIfNoEntry: false }) ??
      (mkdirSync(folder, { recursive: true, mode: 0o700 }), lstatSync(folder));
    return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o077) === 0;
  } catch {
    return false;
  }
}
