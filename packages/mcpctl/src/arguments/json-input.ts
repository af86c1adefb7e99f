import { addAbortSignal } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { isRecord } from 'mcp-kit/internal';
import type { Params } from 'mcp-kit/jsonrpc';
import { usageError } from '../args.ts';
import { readText } from './text-file.ts';
import { parseJson } from './typed.ts';

/** Where a JSON object may be given: on the command line, in a file, or on standard input (`-`). */
export interface JsonSource {
  /** How the user calls it: `--args`. */
  readonly option: string;
  readonly kind: 'text' | 'file';
  readonly value: string;
}

/** The one JSON object that is given, or none; two at once are a usage error. */
export async function readJsonObject(
  sources: readonly JsonSource[],
  stop: AbortSignal,
): Promise<Params | undefined> {
  const [source, other] = sources;
  if (source === undefined) return undefined;
  if (other !== undefined) {
    throw usageError(
      `${source.option} and ${other.option} exclude each other`,
      'Leave out one of them.',
    );
  }
  const isInput = source.value === '-';
  const name = isInput ? 'standard input' : nameOf(source);
  const text = await (isInput ? readInput(stop) : textOf(source));
  const isTyped = !isInput && source.kind === 'text';
  const value = isTyped
    ? parseJson(text, name)
    : parseJson(text, name, 'Write a JSON object, with names and texts in double quotes.');
  if (isRecord(value)) return value;
  throw usageError(
    `${name} is JSON, but not an object`,
    `Write names and values: {"name": "value"}`,
  );
}

/** What is in a file goes by the name of the file. */
function nameOf({ option, kind, value }: JsonSource): string {
  return kind === 'file' ? `${option} ${value}` : option;
}

function readInput(stop: AbortSignal): Promise<string> {
  return readAll(addAbortSignal(stop, process.stdin));
}

async function textOf(source: JsonSource): Promise<string> {
  const { kind, value } = source;
  if (kind === 'text') return value;
  return readText(value, { name: nameOf(source), hint: 'Name a file with a JSON object.' });
}
