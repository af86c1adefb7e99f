import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { longestPath, runtimeFolder } from './runtime-folder.ts';

/** On Windows there are pipes instead of sockets, in a namespace of all users. */
const pipes = '\\\\.\\pipe\\';

/** Where the gateway of a process is controlled; undefined where no place is this user's alone. */
export function controlPath(pid: number): string | undefined {
  if (process.platform === 'win32') return `${pipes}${pipePrefix()}${pid}`;
  const folder = runtimeFolder('up', process.env);
  if (folder === undefined) return undefined;
  const socket = path.join(folder, `${pid}.sock`);
  return socket.length <= longestPath ? socket : undefined;
}

function pipePrefix(): string {
  return `mcp-kit-up-${os.userInfo().username}-`;
}

/** Where gateways of this user are, or were. */
export function controlPaths(): readonly { readonly pid: number; readonly path: string }[] {
  const isWindows = process.platform === 'win32';
  const folder = isWindows ? pipes : runtimeFolder('up', process.env);
  if (folder === undefined) return [];
  const form = isWindows ? new RegExp(String.raw`^${pipePrefix()}(\d+)$`) : /^(\d+)\.sock$/;
  return fs.readdirSync(folder).flatMap((name) => {
    const [, pid] = form.exec(name) ?? [];
    return pid === undefined ? [] : [{ pid: Number(pid), path: path.join(folder, name) }];
  });
}

/** Removes what a process that was killed has left; one that is just starting is let be. */
export function removeStale({ pid, path: file }: { pid: number; path: string }): void {
  try {
    process.kill(pid, 0);
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (isGone) fs.rmSync(file, { force: true });
  }
}
