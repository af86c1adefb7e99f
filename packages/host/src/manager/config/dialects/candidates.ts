import path from 'node:path';
import { ranks, type Candidate, type Surroundings } from '../dialect.ts';
import type { DialectId } from '../entry.ts';

/** The first of some files of the project that exists. */
export function inProject(
  dialect: DialectId,
  { root }: Surroundings,
  ...names: readonly string[]
): Candidate {
  const files = names.map((name) => path.join(root, name));
  return { dialect, files, scope: 'project', rank: ranks.project };
}

/** The first of some files of the user that exists; no candidate without a folder to look in. */
export function ofUser(
  dialect: DialectId,
  folder: string | undefined,
  ...names: readonly string[]
): readonly Candidate[] {
  if (folder === undefined) return [];
  const files = names.map((name) => path.join(folder, name));
  return [{ dialect, files, scope: 'user', rank: ranks.user }];
}

/** Where programs of the desktop keep their settings. */
export function settingsFolder({ home, platform, env }: Surroundings): string | undefined {
  if (home === undefined) return undefined;
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  if (platform === 'win32') return env['APPDATA'] ?? path.join(home, 'AppData', 'Roaming');
  return configFolder({ home, env });
}

/** `$XDG_CONFIG_HOME`, else `~/.config`, also on systems that have folders of their own for it. */
export function configFolder({
  home,
  env,
}: Pick<Surroundings, 'home' | 'env'>): string | undefined {
  if (home === undefined) return undefined;
  const folder = env['XDG_CONFIG_HOME'];
  return folder !== undefined && path.isAbsolute(folder) ? folder : path.join(home, '.config');
}
