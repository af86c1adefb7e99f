import type { Node, ParseError } from 'jsonc-parser';
import { KitError, readYaml } from 'mcp-kit/internal';
import { below, configError, lineAndColumn, topOf, type Place } from '../place.ts';
import { duplicate, maxDepth, parseStrictJson, tooDeep } from './strict-json.ts';

/** How a configuration file is written down. */
export type ConfigFormat = 'json' | 'jsonc' | 'toml' | 'yaml';

/** The format that the name of a file tells; JSON with comments is what most hosts take. */
export function formatOfFile(file: string): ConfigFormat {
  if (file.endsWith('.toml')) return 'toml';
  return /\.ya?ml$/.test(file) ? 'yaml' : 'jsonc';
}

/** Parses the text of a file; whatever is wrong with it is a `KitError` that names the place. */
export async function parseDocument(
  text: string,
  file: string,
  format: ConfigFormat,
): Promise<unknown> {
  const content = text.startsWith('\uFEFF') ? text.slice(1) : text;
  const parse = { json: parseStrictJson, jsonc: parseJsonc, toml: parseToml, yaml: parseYaml };
  try {
    return await parse[format](content, file);
  } catch (error) {
    if (error instanceof KitError) throw error;
    const reason = error instanceof RangeError ? 'nested too deeply' : 'cannot be parsed';
    throw configError(topOf(file), `not valid ${format.toUpperCase()}: ${reason}`, {
      cause: error,
    });
  }
}

/** Most files that may have comments have none: the parser for them is loaded only for those that do. */
async function parseJsonc(text: string, file: string): Promise<unknown> {
  if (text.trim() === '') return {};
  if (isPlainJson(text)) return parseStrictJson(text, file);
  const { parseTree, printParseErrorCode } = await import('jsonc-parser');
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined || root === undefined) {
    const where = lineAndColumn(text, first?.offset ?? 0);
    const what = first === undefined ? 'ValueExpected' : printParseErrorCode(first.error);
    throw configError(topOf(file), `not valid JSON: ${inWords(what)} at ${where}`);
  }
  return valueOf(root, topOf(file), 0);
}

/** Parsers call mistakes `ValueExpected` or `DUPLICATE_KEY`. */
function inWords(code: string): string {
  const words = code.replaceAll(/(?<=[a-z])(?=[A-Z])|_/g, ' ');
  return words.toLowerCase();
}

function isPlainJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function valueOf(node: Node, place: Place, depth: number): unknown {
  if (depth > maxDepth) throw tooDeep(place);
  const within = (child: Node, key: string | number): unknown =>
    valueOf(child, below(place, key), depth + 1);
  if (node.type === 'array') return (node.children ?? []).map(within);
  if (node.type !== 'object') return node.value as unknown;
  const members = new Map<string, unknown>();
  for (const { children: [key, value] = [] } of node.children ?? []) {
    const name = String(key?.value);
    if (members.has(name)) throw duplicate(below(place, name), name);
    members.set(name, value === undefined ? null : within(value, name));
  }
  return Object.fromEntries(members);
}

async function parseToml(text: string, file: string): Promise<unknown> {
  const { parse, TomlError } = await import('smol-toml');
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const reason = (error.message.split('\n')[0] ?? '').replace(/^Invalid TOML document: /, '');
    const where = `line ${error.line}, column ${error.column}`;
    throw configError(topOf(file), `not valid TOML: ${reason} at ${where}`);
  }
}

const maxYamlLength = 256 * 1024;

async function parseYaml(text: string, file: string): Promise<unknown> {
  const reading = await readYaml(text, { maxLength: maxYamlLength, maxAliases: 100 });
  if ('value' in reading) return reading.value ?? {};
  const { what, offset } = reading.fault;
  throw configError(
    topOf(file),
    `not valid YAML: ${inWords(what)} at ${lineAndColumn(text, offset)}`,
  );
}
