import { isRecord } from 'mcp-kit/internal';
import type { Params } from 'mcp-kit/jsonrpc';
import type { JsonSchema } from 'mcp-kit/protocol';
import { nearest, usageError } from '../args.ts';
import {
  convert,
  itemsOf,
  namesOf,
  parseJson,
  propertyOf,
  typesOf,
  type SchemaPart,
} from './typed.ts';

/** Who sees so many knows enough. */
const maxUnknown = 20;

/** `name=value`, `name:value` or `name:=json`, as typed. */
interface Pair {
  readonly name: string;
  readonly text: string;
  /** The value is JSON, whatever the schema says. */
  readonly raw: boolean;
}

/** Adds what was typed as `name=value` to the arguments that are there; the schema says what type each value has. */
export function withPairs(
  base: Params,
  typed: readonly string[],
  schema: JsonSchema,
): Record<string, unknown> {
  const top: SchemaPart = { schema, whole: schema };
  const groups = new Map<string, Pair[]>();
  for (const word of typed) {
    const pair = readPair(word, schema);
    const group = groups.get(pair.name);
    if (group === undefined) groups.set(pair.name, [pair]);
    else group.push(pair);
  }
  const args: Record<string, unknown> = { ...base };
  for (const [name, pairs] of groups) {
    const steps = stepsOf(name, top);
    put(args, steps, valueOf(pairs, partAt(steps, top)));
  }
  return args;
}

function readPair(word: string, schema: JsonSchema): Pair {
  const at = word.indexOf('=');
  const colon = colonPair(word, { at, schema });
  if (colon !== undefined) return colon;
  if (at < 1 || word.startsWith(':=')) throw notPair(word, schema);
  const raw = word[at - 1] === ':';
  return { name: word.slice(0, raw ? at - 1 : at), text: word.slice(at + 1), raw };
}

/** `name:value`, unless an equals sign says otherwise: in a value it may stand, too. */
function colonPair(
  word: string,
  { at, schema }: { readonly at: number; readonly schema: JsonSchema },
): Pair | undefined {
  const [, name, text] = /^([A-Za-z_][\w.-]*):(?!=)([^]*)$/.exec(word) ?? [];
  if (name === undefined || text === undefined) return undefined;
  const known = (property: string): boolean =>
    propertyOf({ schema, whole: schema }, property) !== undefined;
  const isValue = at === -1 || (known(name) && !known(word.slice(0, at)));
  return isValue ? { name, text, raw: false } : undefined;
}

function notPair(word: string, schema: JsonSchema): Error {
  const { required, properties } = schema;
  const names = Array.isArray(required) ? required : Object.keys(Object(properties));
  const [name = 'NAME'] = names.filter((value) => typeof value === 'string');
  return usageError(
    `${JSON.stringify(word)} is not an argument`,
    `Write arguments as NAME=VALUE, such as ${name}=${JSON.stringify(word)}; or give all of them with --args JSON.`,
  );
}

/** Dots lead into objects, unless an argument has them in its name. */
function stepsOf(name: string, top: SchemaPart): readonly string[] {
  const steps = propertyOf(top, name) === undefined ? name.split('.') : [name];
  if (!steps.includes('') && !steps.includes('__proto__')) return steps;
  throw usageError(`${JSON.stringify(name)} cannot be the name of an argument`, 'Use --args JSON.');
}

function partAt(steps: readonly string[], top: SchemaPart): SchemaPart {
  let part = top;
  for (const step of steps) {
    part = propertyOf(part, step) ?? { schema: {}, whole: top.whole };
  }
  return part;
}

/** One value, or the array that several of the same name make. */
function valueOf(pairs: readonly Pair[], part: SchemaPart): unknown {
  const [first, ...more] = pairs;
  if (first !== undefined && more.length === 0) return single(first, part);
  const each = typesOf(part).has('array') ? itemsOf(part) : part;
  return pairs.map((pair) => single(pair, each));
}

function single({ name, text, raw }: Pair, part: SchemaPart): unknown {
  return raw ? parseJson(text, name) : convert(text, part, name);
}

function put(args: Record<string, unknown>, steps: readonly string[], value: unknown): void {
  const last = steps.at(-1) ?? '';
  let holder = args;
  for (const step of steps.slice(0, -1)) {
    const inner = Object.hasOwn(holder, step) ? holder[step] : undefined;
    const next: Record<string, unknown> = isRecord(inner) ? { ...inner } : {};
    holder[step] = next;
    holder = next;
  }
  holder[last] = value;
}

/** Arguments that the tool does not speak of, each with the name that may be meant. */
export function unknownArguments(
  args: Params,
  schema: JsonSchema,
): readonly { readonly name: string; readonly near: string | undefined }[] {
  if (!isRecord(schema['properties'])) return [];
  const known = namesOf({ schema, whole: schema });
  return Object.keys(args)
    .filter((name) => !known.has(name))
    .slice(0, maxUnknown)
    .map((name) => ({ name, near: nearest(name, [...known]) }));
}
