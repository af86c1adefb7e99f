import path from 'node:path';
import { nearest, usageError } from '../args.ts';
import { home, type Globals } from '../globals.ts';

/** Where a host looks for skills: from the folder of a project, and from the home of its user. */
interface HostFolders {
  readonly project: string;
  readonly user: string;
}

/** The folder that most hosts read, whichever they are. */
const commonHost = 'agents';

/** The folders of hosts. Those that read only `.agents/skills` need no row. */
export const skillHosts: Readonly<Record<string, HostFolders>> = {
  [commonHost]: { project: '.agents/skills', user: '.agents/skills' },
  'claude-code': { project: '.claude/skills', user: '.claude/skills' },
  codex: { project: '.agents/skills', user: '.codex/skills' },
  copilot: { project: '.github/skills', user: '.copilot/skills' },
  cursor: { project: '.cursor/skills', user: '.cursor/skills' },
  gemini: { project: '.gemini/skills', user: '.gemini/skills' },
  goose: { project: '.goose/skills', user: '.config/goose/skills' },
  kiro: { project: '.kiro/skills', user: '.kiro/skills' },
  opencode: { project: '.opencode/skills', user: '.config/opencode/skills' },
  qwen: { project: '.qwen/skills', user: '.qwen/skills' },
  roo: { project: '.roo/skills', user: '.roo/skills' },
  windsurf: { project: '.windsurf/skills', user: '.codeium/windsurf/skills' },
};

/** What says where skills are to go. */
export interface FolderChoice {
  readonly host?: readonly string[] | undefined;
  readonly folder?: string | undefined;
  readonly user?: boolean | undefined;
}

/** The folders that are meant, absolute. */
export function skillFolders(
  { host: names, folder, user }: FolderChoice,
  { root }: Pick<Globals, 'root'>,
): readonly string[] {
  if (folder !== undefined) {
    if (names === undefined && user === undefined) return [path.resolve(root, folder)];
    throw usageError('--folder excludes --host and --user', 'Leave out one of them.');
  }
  const folders = (names ?? [commonHost]).map((name) => {
    const found = Object.hasOwn(skillHosts, name) ? skillHosts[name] : undefined;
    if (found === undefined) throw strange(name);
    return user === true ? path.join(home(), found.user) : path.join(root, found.project);
  });
  return [...new Set(folders)];
}

function strange(name: string): Error {
  const known = Object.keys(skillHosts);
  const near = nearest(name, known);
  const meant = near === undefined ? '' : `Did you mean ${near}? `;
  return usageError(
    `it is not known where ${name} looks for skills`,
    `${meant}Known are ${known.join(', ')}; --folder DIR names any folder.`,
  );
}
