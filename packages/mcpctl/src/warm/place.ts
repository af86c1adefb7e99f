import { statSync } from 'node:fs';
import { join } from 'node:path';
import { longestPath, runtimeFolder } from '../control/runtime-folder.ts';
import { currentFolder } from '../current-folder.ts';

/** What a call must have in common with the process that answers it. */
export interface Surroundings {
  readonly cwd: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program as it was built, and the Node that runs it. */
  readonly build: string;
}

/** Variables that differ from shell to shell, and that nothing here depends on. */
const passing = new Set(['_', 'OLDPWD', 'SHLVL']);

/** Those of this process. `program` is the file that was started. */
export function surroundingsOf(program: string): Surroundings {
  const env = Object.entries(process.env).filter(([name]) => !passing.has(name));
  const { mtimeMs, size } = statSync(program);
  return {
    cwd: currentFolder(),
    env: Object.fromEntries(env.sort(([one], [other]) => (one < other ? -1 : 1))),
    build: [program, mtimeMs, size, process.version, process.execPath].join(' '),
  };
}

/** How long a process waits for the next call; 0 where the user wants none. */
export function idleMsOf({ MCPCTL_WARM: given = '120' }: NodeJS.ProcessEnv): number {
  const seconds = given === 'off' ? 0 : Number(given);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

/** The socket for calls like this one; undefined where there can be none that nobody else could have made. */
export function socketFor({ cwd, env, build }: Surroundings): string | undefined {
  const folder = runtimeFolder('warm', env);
  if (folder === undefined || cwd === undefined) return undefined;
  const hash = shortHash([cwd, build, ...Object.entries(env).flat()].join('\0'));
  const socket = join(folder, `${hash}.sock`);
  return socket.length <= longestPath ? socket : undefined;
}

/** Tells places apart; what answers compares all of it. FNV-1a, because loading digests takes longer than a call. */
function shortHash(text: string): string {
  let high = 0x811c9dc5;
  let low = 0x01000193;
  for (let at = 0; at < text.length; at += 1) {
    high = Math.imul(high ^ text.charCodeAt(at), 0x01000193);
    low = Math.imul(low ^ text.charCodeAt(text.length - 1 - at), 0x01000193);
  }
  return [high, low].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
}
