import type { LoadedConfig } from '@mcp-kit/host';
import { usageError } from '../args.ts';
import { missingServer, readConfig } from '../config.ts';
import type { Globals } from '../globals.ts';

/** What is to be called: `server tool a=2`, or `server.tool(a: 2)`, as people write it elsewhere. */
export interface CallWords {
  readonly server: string;
  readonly tool: string;
  /** The arguments as `name=value`, `name:=json` or `name:value`. */
  readonly words: readonly string[];
  /** What the files say, where they had to be read to tell the server from the tool. */
  readonly config: LoadedConfig | undefined;
}

/** Tells the server, the tool and the arguments apart, whichever way they were written. */
export async function readCallWords(
  {
    server: first,
    tool: second,
    words,
  }: Omit<CallWords, 'tool' | 'config'> & { readonly tool: string | undefined },
  globals: Globals,
): Promise<CallWords> {
  const isJoined =
    globals.target === undefined &&
    first.includes('.') &&
    (second === undefined || first.includes('(') || isArgument(second));
  if (isJoined) {
    const { name, words: within } = readCall(first);
    const config = await readConfig(globals);
    const rest = second === undefined ? words : [second, ...words];
    return { ...parted(name, config, globals), words: [...within, ...rest], config };
  }
  if (second === undefined) {
    throw usageError(
      'TOOL is missing: The tool.',
      `Usage: mcpctl call SERVER TOOL [NAME=VALUE…]. Its tools: mcpctl tools ${first}`,
    );
  }
  const { name, words: within } = readCall(second);
  return { server: first, tool: name, words: [...within, ...words], config: undefined };
}

/** A word that can only be an argument. */
function isArgument(word: string): boolean {
  return word === '-' || /^[\w.-]+:?=|^[A-Za-z_][\w.-]*:/.test(word);
}

/** `server.tool`, where either may have dots: the longest server that there is counts. */
function parted(
  name: string,
  config: LoadedConfig,
  globals: Globals,
): Pick<CallWords, 'server' | 'tool'> {
  const known = config.entries
    .map((entry) => entry.name)
    .filter((server) => name.startsWith(`${server}.`) && name.length > server.length + 1)
    .toSorted((a, b) => b.length - a.length);
  const [server] = known;
  if (server === undefined) throw missingServer(name.split('.')[0] ?? name, config, globals);
  return { server, tool: name.slice(server.length + 1) };
}

/** `tool(a: 2, b: "x")`: the name, and the arguments as words. */
function readCall(text: string): { readonly name: string; readonly words: readonly string[] } {
  const open = text.indexOf('(');
  if (open < 1) return { name: text, words: [] };
  if (!text.trimEnd().endsWith(')')) {
    throw usageError(
      `${JSON.stringify(text)} has no ) at its end`,
      'Put all of it into single quotes in a shell: \'server.tool(a: 2, b: "text")\'',
    );
  }
  const within = text.trimEnd().slice(open + 1, -1);
  return {
    name: text.slice(0, open).trim(),
    words: piecesOf(within).map((piece) => wordOf(piece)),
  };
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** The parts between commas, except commas within quotes and brackets. */
function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  const open: string[] = [];
  let quote: string | undefined;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (quote !== undefined) {
      if (character === '\\') at += 1;
      else if (character === quote) quote = undefined;
    } else if (character === '"' || character === "'") {
      quote = character;
    } else if (closing[character] !== undefined) {
      open.push(closing[character]);
    } else if (character === open.at(-1)) {
      open.pop();
    } else if (character === ',' && open.length === 0) {
      pieces.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...pieces, text.slice(start)]
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');
}

/** `a: 2` as `a=2`; what is quoted or bracketed is JSON. */
function wordOf(piece: string): string {
  const [, name, value = ''] = /^["']?([\w.-]+)["']?\s*[:=]\s*([^]*)$/.exec(piece) ?? [];
  if (name === undefined) {
    throw usageError(
      `${JSON.stringify(piece)} is not an argument`,
      'Write names and values: tool(a: 2, b: "text"), or a=2 after the tool.',
    );
  }
  if (/^'.*'$/s.test(value)) return `${name}:=${JSON.stringify(value.slice(1, -1))}`;
  return /^["[{]/.test(value) ? `${name}:=${value}` : `${name}=${value}`;
}
