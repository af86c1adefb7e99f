import type { Dialect } from './dialect.ts';
import type { TextRecord } from './entry.ts';
import { said, type Fact, type Facts } from './facts.ts';
import { parseTemplate, soleVariable, translate, writeVariable } from './template.ts';

/** Something that another host's file cannot say. */
export interface Loss {
  readonly server: string;
  readonly field: string;
  readonly why: string;
}

/** What `restate` could not say otherwise, and has left as it was: the field, and why. */
export type Note = Omit<Loss, 'server'>;

interface Restated {
  readonly facts: Facts;
  readonly notes: readonly Note[];
}

/** Says the same facts in the terms of another host: its references to variables, its ways to name them. */
export function restate(facts: Facts, from: Dialect, to: Dialect): Restated {
  const notes: Note[] = [];
  const rewrite = (text: string, field: string): string => {
    const result = translate(text, from.syntax, to.syntax);
    if (result !== undefined) return result;
    notes.push({ field, why: whyNot(text, from, to) });
    return text;
  };
  const named = nameVariables(facts, from, to);
  return { facts: said(unnameVariables(rewriteTexts(named, rewrite), to)), notes };
}

/** What stands in the way, without the rest of the text: that may hold a secret. */
function whyNot(text: string, from: Dialect, to: Dialect): string {
  const references = parseTemplate(text, from.syntax).filter((part) => typeof part !== 'string');
  if (references.length === 0) return `${to.title} would take a part of it for a variable`;
  const shown = references.map((reference) => reference.text).join(', ');
  return `${to.title} has no way to say ${shown}; the text is kept as it is`;
}

const texts: readonly Fact[] = ['command', 'cwd', 'envFile', 'url', 'streamUrl', 'path'];
const maps: readonly Fact[] = ['env', 'headers'];

function rewriteTexts(facts: Facts, rewrite: (text: string, field: string) => string): Facts {
  const result: Record<string, unknown> = { ...facts };
  for (const fact of texts) {
    const text = facts[fact];
    if (typeof text === 'string') result[fact] = rewrite(text, fact);
  }
  for (const fact of maps) {
    const map = facts[fact] as TextRecord | undefined;
    if (map === undefined) continue;
    const entries = Object.entries(map).map(([key, text]) => [
      key,
      rewrite(text, `${fact}/${key}`),
    ]);
    result[fact] = Object.fromEntries(entries);
  }
  if (facts.args !== undefined) {
    result['args'] = facts.args.map((text, index) => rewrite(text, `args/${index}`));
  }
  return result;
}

/** Whether the host has a field for this fact. */
function holds(dialect: Dialect, sample: Facts): boolean {
  const [fact] = Object.keys(sample);
  const { [fact as Fact]: _, ...others } = sample;
  return [...dialect.fields.values()].some(
    (field) => field.write(sample) !== undefined && field.write(others) === undefined,
  );
}

/** Where the other host names a variable instead of referring to it, so do we. */
function nameVariables(facts: Facts, from: Dialect, to: Dialect): Facts {
  const result = { ...facts };
  if (holds(to, { passEnv: ['A'], kind: 'stdio' }) && result.env !== undefined) {
    const passed = Object.entries(result.env).filter(
      ([key, text]) => soleVariable(text, from.syntax) === key,
    );
    result.env = without(result.env, passed);
    const { passEnv = [] } = result;
    result.passEnv = [...new Set([...passEnv, ...passed.map(([key]) => key)])];
  }
  if (result.headers === undefined || result.kind === 'unix') return result;
  if (holds(to, { bearerTokenEnv: 'A', kind: 'http' }) && result.bearerTokenEnv === undefined) {
    const token = Object.entries(result.headers).find(
      ([key, text]) =>
        key.toLowerCase() === 'authorization' && soleVariable(text, from.syntax, 'Bearer '),
    );
    const variable = token && soleVariable(token[1], from.syntax, 'Bearer ');
    if (token !== undefined && variable !== undefined) {
      result.bearerTokenEnv = variable;
      result.headers = without(result.headers, [token]);
    }
  }
  if (holds(to, { envHeaders: { a: 'A' }, kind: 'http' })) {
    const named = Object.entries(result.headers).flatMap(([key, text]) => {
      const variable = soleVariable(text, from.syntax);
      return variable === undefined ? [] : [[key, variable] as const];
    });
    result.headers = without(result.headers, named);
    result.envHeaders = { ...result.envHeaders, ...Object.fromEntries(named) };
  }
  return result;
}

/** Where the other host only refers to variables, so do we. */
function unnameVariables(facts: Facts, to: Dialect): Facts {
  const result = { ...facts };
  const reference = (variable: string): string | undefined => writeVariable(variable, to.syntax);
  if (reference('A') === undefined) return result;
  const { passEnv, bearerTokenEnv, envHeaders } = facts;
  if (passEnv !== undefined && !holds(to, { passEnv: ['A'], kind: 'stdio' })) {
    delete result.passEnv;
    const passed = passEnv.map((variable) => [variable, reference(variable) ?? '']);
    result.env = { ...Object.fromEntries(passed), ...result.env } as TextRecord;
  }
  if (bearerTokenEnv !== undefined && !holds(to, { bearerTokenEnv: 'A', kind: 'http' })) {
    delete result.bearerTokenEnv;
    result.headers = { ...result.headers, Authorization: `Bearer ${reference(bearerTokenEnv)}` };
  }
  if (envHeaders !== undefined && !holds(to, { envHeaders: { a: 'A' }, kind: 'http' })) {
    delete result.envHeaders;
    const named = Object.entries(envHeaders).map(([key, name]) => [key, reference(name) ?? '']);
    result.headers = { ...result.headers, ...(Object.fromEntries(named) as TextRecord) };
  }
  return result;
}

function without(map: TextRecord, entries: readonly (readonly [string, string])[]): TextRecord {
  const gone = new Set(entries.map(([key]) => key));
  return Object.fromEntries(Object.entries(map).filter(([key]) => !gone.has(key)));
}
