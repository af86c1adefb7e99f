import { ownProcess, readStat, type ProcessIdentity } from 'mcp-kit/internal';

/** Another process of this machine as it says itself who it is, in a lock or as an editor. */
export function identityOf(pid: number): ProcessIdentity {
  return { ...ownProcess(), pid, start: readStat(pid)?.start ?? 0 };
}
