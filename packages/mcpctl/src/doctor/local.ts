import net from 'node:net';
import { identify, launchOf, type StdioSettings, type UnixSettings } from '@mcp-kit/host/internal';
import { failedRung, msSince, type Rung } from './rung.ts';

/** Which program a server is, all variables in its settings being resolved. */
export async function programRung(
  settings: StdioSettings,
  own: Parameters<typeof launchOf>[1],
): Promise<Rung> {
  const start = performance.now();
  try {
    const launch = launchOf(settings, own);
    const found = await identify(launch);
    const ms = msSince(start);
    if (found === undefined) return missing(settings.command, launch.cwd);
    const { path, sha256, found: at } = found;
    const said = at === path ? path : `${at}, which is ${path}`;
    return { name: 'program', state: 'ok', said, more: [`sha256:${sha256}`], ms };
  } catch (error) {
    return failedRung('program', error, msSince(start));
  }
}

function missing(command: string, cwd: string): Rung {
  const isPlace = /[\\/]/.test(command);
  const said = isPlace
    ? `there is no program ${command}, seen from ${cwd}`
    : `${command} is not on the PATH`;
  const fix = isPlace
    ? 'Correct the path, or make the file executable: chmod +x'
    : `Install ${command}, or name it by its whole path.`;
  return { name: 'program', state: 'failed', said, fix };
}

/** Whether somebody listens on a socket. */
export async function socketRung({ path }: UnixSettings, timeoutMs: number): Promise<Rung> {
  const start = performance.now();
  const socket = net.connect({ path });
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve);
      socket.once('error', reject);
      socket.setTimeout(timeoutMs, () => reject(new Error(`no answer within ${timeoutMs} ms`)));
    });
    return { name: 'socket', state: 'ok', said: `connected to ${path}`, ms: msSince(start) };
  } catch (error) {
    return { ...failedRung('socket', error, msSince(start)), fix: socketFix(error, path) };
  } finally {
    socket.on('error', () => {}).destroy();
  }
}

function socketFix(error: unknown, path: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT')
    return `There is no socket ${path}: start the server, or correct the path.`;
  if (code === 'ECONNREFUSED') return 'The socket is there and nobody listens: start the server.';
  if (code === 'EACCES') return `You may not use it: look at the mode of ${path}.`;
  return 'Look at the log of the server.';
}
