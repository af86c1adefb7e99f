import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process as it says itself who it is, in a lock or as an editor. */
export function identityOf(pid: number): object {
  if (process.platform !== 'linux') return { pid, host: hostname(), space: '', began: '' };
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const space = `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const began = stat.split(') ').at(-1)?.split(' ')[19] ?? '';
  return { pid, host: hostname(), space, began };
}
