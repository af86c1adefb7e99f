import { isRecord, KitError } from 'mcp-kit/internal';
import type { ServerEntry } from '@mcp-kit/host';
import { decodeDocument, detectDialects, parseDocument } from '@mcp-kit/host/internal';
import { usageError } from '../args.ts';
import { warn } from '../output.ts';
import type { Globals } from '../globals.ts';
import { plainField } from '../terminal/plain-text.ts';

/** Whether a word is a piece of configuration rather than a name. */
export function looksPasted(word: string): boolean {
  return /^\s*(\{|\[|"[^"]*"\s*:)/.test(word);
}

/** Keys that only a server has. */
const serverKeys = ['command', 'cmd', 'argv', 'url', 'serverUrl', 'httpUrl', 'baseUrl', 'uri'];

/** The servers of a piece of JSON or TOML, in whichever host's words. */
export async function readPasted(
  text: string,
  name: string | undefined,
  globals: Globals,
): Promise<readonly ServerEntry[]> {
  const isToml =
    /^\s*(#[^\n]*\n\s*)*\[\s*["'\w]/.test(text) && !/^\s*\[\s*["'{]\s*[^\]]*,/.test(text);
  const document = await parsed(text, isToml);
  const named = isServer(document) ? mapOf(document, name) : document;
  const found = detectDialects(isToml ? 'pasted.toml' : 'pasted', named).map((dialect) =>
    decodeDocument(named, dialect, { file: '', scope: 'explicit', rank: 0 }),
  );
  const [error] = found.flatMap(({ errors }) => errors);
  if (error !== undefined) throw notAsPasted(error);
  for (const { pointer, message } of found.flatMap(({ warnings }) => warnings)) {
    warn(globals, plainField(`warning: ${pointer}: ${message}`));
  }
  const entries = found.flatMap((part) => part.entries.map(({ entry }) => entry));
  if (entries.length === 0) {
    throw usageError('what was pasted has no servers', 'Paste {"mcpServers": {…}}, or one server.');
  }
  return renamed(entries, isServer(document) ? undefined : name);
}

async function parsed(text: string, isToml: boolean): Promise<unknown> {
  const content = text.trim();
  // People copy members without the braces around them, and with the comma behind.
  const isMember = content.startsWith('"');
  const whole = isMember ? `{${content.replace(/,$/, '')}}` : content;
  try {
    return await parseDocument(whole, '', isToml ? 'toml' : 'jsonc');
  } catch (error) {
    throw error instanceof KitError ? notAsPasted(error) : error;
  }
}

/** A failure of reading a file, said of what is in none. */
function notAsPasted({ message, hint = 'Correct it, and paste it again.' }: KitError): KitError {
  return new KitError('invalid_config', message.replace(/^#(: )?/, 'what was pasted: '), { hint });
}

function isServer(document: unknown): document is Readonly<Record<string, unknown>> {
  return (
    isRecord(document) &&
    serverKeys.some((key) => typeof document[key] === 'string' || Array.isArray(document[key]))
  );
}

/** The map that a single server would be in. */
function mapOf(server: Readonly<Record<string, unknown>>, name: string | undefined): object {
  const { name: _, ...rest } = server;
  return { mcpServers: { [nameFor(server, name)]: rest } };
}

function nameFor(server: Readonly<Record<string, unknown>>, name: string | undefined): string {
  const given = name ?? server['name'];
  if (typeof given === 'string' && given !== '') return given;
  throw usageError('what was pasted is a server without a name', 'Say one: mcpctl add NAME JSON');
}

function renamed(
  entries: readonly ServerEntry[],
  name: string | undefined,
): readonly ServerEntry[] {
  if (name === undefined) return entries;
  const [only, other] = entries;
  if (only !== undefined && other === undefined) return [{ ...only, name }];
  const names = entries.map((entry) => entry.name).join(', ');
  throw usageError(
    `what was pasted has ${entries.length} servers, which cannot all be named ${name}`,
    `Leave out the name; they are called ${names}.`,
  );
}
