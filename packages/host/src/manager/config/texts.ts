import type { ServerEntry, TextRecord, TransportSettings } from './entry.ts';
import { below, type Place } from './place.ts';

/** Where a fact of an entry is written down. */
export function placeOf(entry: ServerEntry, fact: string, key?: string): Place {
  const { file, pointer, keys } = entry.provenance;
  const place = { file, pointer: `${pointer}/${keys[fact] ?? fact}` };
  return key === undefined ? place : below(place, key);
}

/** Where an argument of the program is written down. */
export function placeOfArgument(entry: ServerEntry, index: number): Place {
  return placeOf(entry, 'args', String(sharesList(entry) ? index + 1 : index));
}

/** One list may hold the program and its arguments. */
function sharesList({ provenance: { keys } }: ServerEntry): boolean {
  return (keys['command'] ?? 'command') === (keys['args'] ?? 'args');
}

type Rewrite = (text: string, place: Place) => string;

/** Puts every text of the transport through `rewrite`. */
export function mapTexts(entry: ServerEntry, rewrite: Rewrite): TransportSettings {
  const { transport } = entry;
  const one = (fact: string, text: string, key?: string): string =>
    rewrite(text, placeOf(entry, fact, key));
  const map = (fact: string, record: TextRecord): TextRecord =>
    Object.fromEntries(Object.entries(record).map(([key, text]) => [key, one(fact, text, key)]));
  const optional = (fact: string, text: string | undefined): string | undefined =>
    text === undefined ? undefined : one(fact, text);
  if (transport.kind === 'stdio') {
    const program = sharesList(entry) ? '0' : undefined;
    return {
      ...transport,
      command: one('command', transport.command, program),
      args: transport.args.map((text, at) => rewrite(text, placeOfArgument(entry, at))),
      env: map('env', transport.env),
      cwd: optional('cwd', transport.cwd),
      envFile: optional('envFile', transport.envFile),
    };
  }
  if (transport.kind === 'unix') {
    const headers = map('headers', transport.headers);
    return { ...transport, path: one('path', transport.path), headers };
  }
  return {
    ...transport,
    url: one('url', transport.url),
    headers: map('headers', transport.headers),
    streamUrl: optional('streamUrl', transport.streamUrl),
  };
}
