import { isRecord } from 'mcp-kit/internal';
import type { JsonSchema } from 'mcp-kit/protocol';

/** One of the values that a field can have. */
interface Choice {
  readonly value: unknown;
  /** The value as it can be typed. */
  readonly word: string;
  readonly title: string;
}

type Kind = 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';

/** One question of a form. */
export interface Field {
  readonly name: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly kind: Kind;
  readonly required: boolean;
  /** Not to be seen while it is typed. */
  readonly secret: boolean;
  readonly choices: readonly Choice[];
  /** What it is when nothing is typed. */
  readonly preset: unknown;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What an answer means, or what is wrong with it. */
export type Reading = { readonly value: unknown } | { readonly problem: string };

/** The questions of a form, in its order; `strange` names those that a terminal cannot ask. */
export function readForm(form: JsonSchema): {
  readonly fields: readonly Field[];
  readonly strange: readonly { readonly name: string; readonly required: boolean }[];
} {
  const properties = isRecord(form['properties']) ? form['properties'] : {};
  const needed = new Set(Array.isArray(form['required']) ? form['required'] : []);
  const fields: Field[] = [];
  const strange: { name: string; required: boolean }[] = [];
  for (const [name, schema] of Object.entries(properties)) {
    const required = needed.has(name);
    const field = isRecord(schema) ? readField({ name, required }, schema) : undefined;
    if (field === undefined) strange.push({ name, required });
    else fields.push(field);
  }
  return { fields, strange };
}

function readField(
  { name, required }: Pick<Field, 'name' | 'required'>,
  schema: Readonly<Record<string, unknown>>,
): Field | undefined {
  const { title, description, format, writeOnly } = schema;
  const choices = readChoices(schema['type'] === 'array' ? schema['items'] : schema);
  const kind = kindOf(schema['type'], choices);
  if (kind === undefined) return undefined;
  return {
    name,
    title: typeof title === 'string' && title !== '' ? title : name,
    description: typeof description === 'string' ? description : undefined,
    kind,
    required,
    secret: kind === 'text' && (format === 'password' || writeOnly === true),
    choices: choices ?? [],
    preset: schema['default'],
    schema,
  };
}

function kindOf(type: unknown, choices: readonly Choice[] | undefined): Kind | undefined {
  if (type === 'array') return choices === undefined ? undefined : 'choices';
  if (choices !== undefined) return 'choice';
  if (type === 'string') return 'text';
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : undefined;
}

function readChoices(schema: unknown): readonly Choice[] | undefined {
  if (!isRecord(schema)) return undefined;
  const { enum: values, enumNames: names } = schema;
  if (Array.isArray(values)) {
    const titles: readonly unknown[] = Array.isArray(names) ? names : [];
    return values.map((value: unknown, at) => toChoice(value, titles[at]));
  }
  const titled = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(titled)) return undefined;
  return titled.filter(isRecord).map(({ const: value, title }) => toChoice(value, title));
}

function toChoice(value: unknown, title: unknown): Choice {
  const word = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return { value, word, title: typeof title === 'string' ? title : word };
}

/** Reads what was typed; never runs a pattern of the server's. */
export function readAnswer(field: Field, typed: string): Reading {
  switch (field.kind) {
    case 'text':
      return readText(field, typed);
    case 'number':
    case 'integer':
      return readNumber(field, typed.trim());
    case 'boolean':
      if (/^(y|yes|true|1)$/i.test(typed.trim())) return { value: true };
      if (/^(n|no|false|0)$/i.test(typed.trim())) return { value: false };
      return { problem: 'answer yes or no' };
    case 'choice':
      return readChoice(field, typed);
    case 'choices':
      return readSeveral(field, typed);
  }
}

function readText({ schema }: Field, typed: string): Reading {
  const { minLength, maxLength, format } = schema;
  // As JSON Schema counts: an emoji may be several.
  const { length } = Array.from(typed);
  if (typeof minLength === 'number' && length < minLength) {
    return { problem: `at least ${minLength} characters, please` };
  }
  if (typeof maxLength === 'number' && length > maxLength) {
    return { problem: `at most ${maxLength} characters, please` };
  }
  const known = typeof format === 'string' ? formats[format] : undefined;
  return known === undefined || known.fits(typed)
    ? { value: typed }
    : { problem: `write ${known.like}` };
}

const formats: Readonly<
  Record<string, { readonly like: string; fits(text: string): boolean } | undefined>
> = {
  email: {
    like: 'an address like ann@example.com',
    fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  },
  uri: { like: 'a URI like https://example.com/', fits: (text) => URL.canParse(text) },
  date: {
    like: 'a date like 2026-07-28',
    fits: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && isDate(text),
  },
  'date-time': {
    like: 'a time like 2026-07-28T12:00:00Z',
    fits: (text) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i.test(text) && isDate(text),
  },
};

function isDate(text: string): boolean {
  const day = new Date(`${text.slice(0, 10)}T00:00:00Z`);
  // The 31st of a shorter month would be read as a day of the next.
  return !Number.isNaN(Date.parse(text)) && day.toISOString().startsWith(text.slice(0, 10));
}

function readNumber({ kind, schema }: Field, typed: string): Reading {
  const { minimum, maximum } = schema;
  const number = Number(typed);
  if (typed === '' || !Number.isFinite(number)) return { problem: 'write a number, such as 12' };
  if (kind === 'integer' && !Number.isSafeInteger(number)) {
    return { problem: 'write a whole number, such as 12' };
  }
  if (typeof minimum === 'number' && number < minimum) {
    return { problem: `it must be ${minimum} or more` };
  }
  if (typeof maximum === 'number' && number > maximum) {
    return { problem: `it must be ${maximum} or less` };
  }
  return { value: number };
}

/** By what it is, by what it is called, or by its number in the list. */
function pick(choices: readonly Choice[], typed: string): Choice | undefined {
  const word = typed.trim();
  return (
    choices.find((choice) => choice.word === word) ??
    choices.find(({ title }) => title.toLowerCase() === word.toLowerCase()) ??
    (/^\d+$/.test(word) ? choices[Number(word) - 1] : undefined)
  );
}

function readChoice({ choices }: Field, typed: string): Reading {
  const choice = pick(choices, typed);
  return choice === undefined
    ? { problem: `choose a number from 1 to ${choices.length}` }
    : { value: choice.value };
}

function readSeveral({ choices, schema }: Field, typed: string): Reading {
  const { minItems, maxItems } = schema;
  const words = typed.split(',').filter((word) => word.trim() !== '');
  const picked = new Set<unknown>();
  for (const word of words) {
    const choice = pick(choices, word);
    if (choice === undefined) {
      return { problem: `choose numbers from 1 to ${choices.length}, with commas between` };
    }
    picked.add(choice.value);
  }
  if (typeof minItems === 'number' && picked.size < minItems) {
    return { problem: `choose at least ${minItems}` };
  }
  if (typeof maxItems === 'number' && picked.size > maxItems) {
    return { problem: `choose at most ${maxItems}` };
  }
  return { value: [...picked] };
}

/** What may be typed, in a few words. */
export function expectation({ kind, schema, choices }: Field): string {
  const { minimum, maximum, format } = schema;
  switch (kind) {
    case 'text': {
      const known = typeof format === 'string' ? formats[format] : undefined;
      return known?.like ?? '';
    }
    case 'number':
    case 'integer': {
      const least = typeof minimum === 'number' ? ` from ${minimum}` : '';
      const most = typeof maximum === 'number' ? ` up to ${maximum}` : '';
      return `${kind === 'integer' ? 'a whole number' : 'a number'}${least}${most}`;
    }
    case 'boolean':
      return 'yes or no';
    case 'choice':
      return `1 to ${choices.length}`;
    case 'choices':
      return `of 1 to ${choices.length}, with commas between`;
  }
}
