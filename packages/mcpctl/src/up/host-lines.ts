import { adHocEntry } from '@mcp-kit/host';
import {
  connectable,
  dialectOf,
  hostFile,
  isInstalled,
  writeEntries,
  type Host,
} from '@mcp-kit/host/internal';
import { shownFile } from '../config.ts';
import type { Globals } from '../globals.ts';
import { surroundingsOf } from '../setup/hosts.ts';

/** What to write into the file of a host, so that it uses a gateway. */
export interface HostLine {
  readonly host: string;
  readonly title: string;
  readonly file: string;
  /** Whether the host seems to be installed. */
  readonly isThere: boolean;
  readonly text: string;
}

/** A line for every host, in its own words. */
export async function hostLines(url: string, globals: Globals): Promise<readonly HostLine[]> {
  const surroundings = surroundingsOf(globals);
  const entry = adHocEntry({ url, flavour: 'http' }, 'mcp-kit');
  const started = adHocEntry({ command: 'mcpctl', args: ['bridge', url] }, 'mcp-kit');
  const lines = connectable.map(async (host): Promise<HostLine[]> => {
    const place =
      (await hostFile(host, 'user', surroundings)) ??
      (await hostFile(host, 'project', surroundings));
    if (place === undefined) return [];
    const byUrl = await writeEntries([entry], host.dialect);
    const isTaken = Object.keys(byUrl.values).length > 0;
    // Some hosts only start programs.
    const { text } = isTaken ? byUrl : await writeEntries([started], host.dialect);
    const { id, title } = host;
    const isThere = await isInstalled(host, surroundings);
    return [{ host: id, title, file: place.file, isThere, text: inShort(text, host) }];
  });
  return (await Promise.all(lines)).flat();
}

/** On one line where the host reads JSON. */
function inShort(text: string, { dialect }: Host): string {
  const { format } = dialectOf(dialect);
  const isJson = format === 'json' || format === 'jsonc';
  return isJson ? JSON.stringify(JSON.parse(text)) : text.trimEnd();
}

/** The lines for the hosts that are there, and how to have all of them written. */
export function shownLines(
  lines: readonly HostLine[],
  url: string,
  globals: Globals,
): readonly string[] {
  const there = lines.filter(({ isThere }) => isThere);
  const command = `mcpctl connect ${there.length > 0 ? '--all' : 'HOST'} --user --gateway ${url}`;
  if (there.length === 0) {
    return ['', `Write it into the file of a host: ${command}`, 'Hosts: mcpctl connect --list'];
  }
  const each = there.flatMap(({ title, file, text }) => {
    const [first = '', ...rest] = text.split('\n');
    return [`  ${title}, ${shownFile(file, globals)}: ${first}`, ...rest.map((one) => `  ${one}`)];
  });
  return ['', 'For the hosts that are here:', ...each, `Or have it written: ${command}`];
}
