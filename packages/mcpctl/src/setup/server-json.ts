import { isRecord } from 'mcp-kit/internal';

/** An object of a `server.json`. */
export type Part = Readonly<Record<string, unknown>>;

/** Something that whoever uses a server has to say, or may. */
export interface Input {
  readonly name: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly preset: string | undefined;
  readonly choices: readonly string[];
}

type Answers = ReadonlyMap<string, string>;

/** The text of a member, if it is one. */
export function textOf(record: Part, key: string): string | undefined {
  const value = record[key];
  return typeof value === 'string' ? value : undefined;
}

/** The objects in a list. */
export function listOf(record: Part, key: string): readonly Part[] {
  const value = record[key];
  return Array.isArray(value) ? value.filter((item) => isRecord(item)) : [];
}

/** All that a package or a remote server asks for: its variables, headers and arguments, and what these have blanks for. */
export function inputsOf({ from }: { readonly from: Part }): readonly Input[] {
  const lists = ['environmentVariables', 'headers', 'runtimeArguments', 'packageArguments'];
  const parts = lists.flatMap((key) => listOf(from, key));
  const asked = parts.filter((part) => textOf(part, 'value') === undefined);
  const found = [
    ...[from, ...parts].flatMap((part) => blanksOf(part)),
    ...asked.map((part) => inputOf(nameOf(part), part)),
  ].filter(({ name }) => name !== '');
  return [...new Map(found.map((input) => [input.name, input])).values()];
}

/** The variables of a text with blanks: `Bearer {token}`. */
function blanksOf(part: Part): readonly Input[] {
  const { variables } = part;
  if (!isRecord(variables)) return [];
  return Object.entries(variables).map(([name, about]) => ({
    ...inputOf(name, isRecord(about) ? about : {}),
    // A text with a blank in it is of no use.
    isRequired:
      part['isRequired'] === true ||
      textOf(part, 'url') !== undefined ||
      (isRecord(about) && about['isRequired'] === true),
  }));
}

function inputOf(name: string, about: Part): Input {
  const { choices } = about;
  return {
    name,
    description: textOf(about, 'description'),
    isRequired: about['isRequired'] === true,
    isSecret: about['isSecret'] === true,
    preset: textOf(about, 'default'),
    choices: Array.isArray(choices) ? choices.filter((choice) => typeof choice === 'string') : [],
  };
}

/** What something is asked for by: the name of an option without its dashes, and what an argument without a name is. */
function nameOf(part: Part): string {
  return (textOf(part, 'name') ?? textOf(part, 'valueHint') ?? '').replace(/^-+/, '');
}

/** A text with its blanks filled in. */
export function filledIn(text: string, part: Part, answers: Answers): string {
  const { variables } = part;
  if (!isRecord(variables)) return text;
  return text.replaceAll(/\{([\w.-]+)\}/g, (whole, name: string) =>
    Object.hasOwn(variables, name) ? (answers.get(name) ?? whole) : whole,
  );
}

/** The value of a variable, header or argument; none when it was not given. */
function valueOf(part: Part, answers: Answers): string | undefined {
  const fixed = textOf(part, 'value');
  if (fixed === undefined) return answers.get(nameOf(part));
  const blanks = blanksOf(part).filter(({ name }) => fixed.includes(`{${name}}`));
  const isFilled = blanks.every(({ name }) => answers.has(name));
  return isFilled ? filledIn(fixed, part, answers) : undefined;
}

/** Values by name: the variables or headers that were given. */
export function pairsOf(parts: readonly Part[], answers: Answers): Record<string, string> {
  return Object.fromEntries(
    parts.flatMap((part) => {
      const value = valueOf(part, answers);
      return value === undefined ? [] : [[nameOf(part), value]];
    }),
  );
}

/** The words that arguments become on a command line. */
export function argumentWords(parts: readonly Part[], answers: Answers): readonly string[] {
  return parts.flatMap((part) => {
    const value = valueOf(part, answers);
    const name = textOf(part, 'name');
    if (textOf(part, 'type') !== 'named' || name === undefined)
      return value === undefined ? [] : [value];
    const isFlag = part['format'] === 'boolean';
    if (isFlag) return value === 'true' ? [name] : [];
    // A name that needs no value is there by itself.
    if (value === undefined)
      return part['isRequired'] === true && part['default'] === undefined ? [name] : [];
    return value === '' ? [name] : [name, value];
  });
}
