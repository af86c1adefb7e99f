import { isRecord } from 'mcp-kit/internal';
import { usageError } from '../args.ts';
import { readText } from '../arguments/text-file.ts';
import { Reader, type Fields } from './reader.ts';
import type { Transcript } from './recording.ts';

/** Reads a file that `--record` or `mcpctl record` has written. */
export async function readTranscript(file: string): Promise<Transcript> {
  const hint = 'Write one with mcpctl record SERVER --out FILE.';
  const text = await readText(file, { name: file, hint });
  const readers = new Map<string | undefined, Reader>();
  const ignore: string[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const entry = parseLine(line);
    if (entry === undefined) throw usageError(`${file}:${at + 1} is no line of a recording`, hint);
    if (Array.isArray(entry['ignore'])) ignore.push(...entry['ignore'].map(String));
    if (entry['side'] !== 'server') continue;
    const server = typeof entry['server'] === 'string' ? entry['server'] : undefined;
    const reader = readers.get(server) ?? new Reader();
    readers.set(server, reader);
    reader.take(entry);
  }
  const recordings = Array.from(readers, ([server, reader]) => ({ server, ...reader.end() }));
  if (recordings.length === 0) throw usageError(`${file} has no messages of a server`, hint);
  return { recordings, ignore };
}

function parseLine(line: string): Fields | undefined {
  try {
    const entry: unknown = JSON.parse(line);
    return isRecord(entry) ? entry : undefined;
  } catch {
    return undefined;
  }
}
