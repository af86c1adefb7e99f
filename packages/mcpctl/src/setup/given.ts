import { text as readAll } from 'node:stream/consumers';
import { addAbortSignal } from 'node:stream';
import { adHocEntry, type ServerEntry } from '@mcp-kit/host';
import { hideSecrets } from 'mcp-kit/internal';
import { usageError } from '../args.ts';
import type { Globals } from '../globals.ts';
import { mask } from '../terminal/secrets.ts';
import { looksPasted, readPasted } from './pasted.ts';
import { isRegistryName, readFromRegistry } from './registry.ts';
import { checkSettings, type Settings } from './settings.ts';

interface Context {
  readonly globals: Globals;
  readonly stop: AbortSignal;
  readonly settings: Settings;
}

/** The servers that the words of a command line describe. */
export async function readGiven(
  words: readonly string[],
  context: Context,
): Promise<readonly ServerEntry[]> {
  if (context.globals.target !== undefined) return [typedEntry(words, context)];
  const [first, second, stray] = words;
  if (stray !== undefined) throw notOneThing(stray);
  if (first === undefined || words.includes('-')) {
    return readInput(
      words.find((word) => word !== '-'),
      context,
    );
  }
  const [name, what] = second === undefined ? [undefined, first] : [first, second];
  if (looksPasted(what)) return pastedEntries(what, name, context);
  if (/^(https?:|[a-z][a-z\d+.-]*:\/\/)/i.test(what)) {
    return [urlEntry(what, name ?? nameOfUrl(what), context)];
  }
  if (isRegistryName(what)) return [await readFromRegistry(what, name, context)];
  throw second === undefined ? nothingGiven(what) : notOneThing(what);
}

/** The servers that standard input has. */
async function readInput(
  name: string | undefined,
  context: Context,
): Promise<readonly ServerEntry[]> {
  if (name === undefined && process.stdin.isTTY) throw nothingGiven();
  const text = await readAll(addAbortSignal(context.stop, process.stdin));
  if (text.trim() === '') throw nothingGiven(name);
  return pastedEntries(text, name, context);
}

function pastedEntries(
  text: string,
  name: string | undefined,
  { globals, settings }: Context,
): Promise<readonly ServerEntry[]> {
  checkSettings('what is pasted', settings);
  return readPasted(text, name, globals);
}

function typedEntry(words: readonly string[], { globals, settings }: Context): ServerEntry {
  const { target } = globals;
  const [name = target?.name ?? '', stray] = words;
  if (stray !== undefined) throw notOneThing(stray);
  const { env, headers, cwd } = settings;
  if (target?.kind === 'command') {
    checkSettings('a command', settings);
    return adHocEntry({ command: target.command, args: target.args, env, cwd }, name);
  }
  checkSettings(target?.kind === 'unix' ? 'a socket' : 'a URL', settings);
  if (target?.kind === 'unix') return adHocEntry({ unix: target.path }, name);
  return adHocEntry({ url: target?.url ?? '', headers, flavour: settings.type }, name);
}

function urlEntry(url: string, name: string, { settings }: Context): ServerEntry {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw usageError(
      `${hideSecrets(url, mask)} is not an http or https URL`,
      'Write it in full: https://example.com/mcp',
    );
  }
  checkSettings('a URL', settings);
  return adHocEntry({ url, headers: settings.headers, flavour: settings.type ?? 'http' }, name);
}

/** Refuses a name that hosts, shells or `server.tool` could misread. */
export function checkName(name: string): void {
  if (/^[A-Za-z0-9][\w.-]*$/.test(name)) return;
  throw usageError(
    `${JSON.stringify(name)} cannot be the name of a server`,
    'Use letters, digits, ".", "_" and "-".',
  );
}

/** `https://mcp.linear.app/sse` → `linear`. */
function nameOfUrl(url: string): string {
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  const labels = host.split('.').filter((label) => !/^(www|api|mcp|app)$/.test(label));
  return /^[\d.:[\]]+$/.test(host) || labels.length < 2
    ? (labels[0] ?? host)
    : (labels.at(-2) ?? host);
}

function notOneThing(word: string): Error {
  return usageError(
    `${JSON.stringify(word)} is neither a URL nor a piece of JSON or TOML`,
    'If it begins a command, put -- before it: mcpctl add NAME -- npx -y some-server',
  );
}

function nothingGiven(name = 'NAME'): Error {
  return usageError(
    name === 'NAME' ? 'nothing to add' : `what is ${name}?`,
    `mcpctl add ${name} https://example.com/mcp, mcpctl add ${name} -- npx -y some-server, mcpctl add '{"mcpServers": …}', or a name of the registry: mcpctl add io.github.someone/server`,
  );
}
