import { globOf } from 'mcp-kit/internal';
import type { ServerEntry } from '../config/entry.ts';

/** Whether the names of tools pass the globs of an entry: those allowed, or all; never those denied. */
export function toolFilter({ allow, deny = [] }: ServerEntry['tools']): (name: string) => boolean {
  const allowed = allow?.map(globOf);
  const denied = deny.map(globOf);
  return (name) =>
    !denied.some((glob) => glob(name)) && (allowed?.some((glob) => glob(name)) ?? true);
}
