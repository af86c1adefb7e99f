/** A way to refer to a variable: `${A}`, `${A:-b}`, `${env:A}`, `$A`, `$env:A`, `%A%`, `{env:A}`, and so on. */
type Form =
  | 'brace'
  | 'brace-default'
  | 'brace-env'
  | 'input'
  | 'place'
  | 'dollar'
  | 'dollar-env'
  | 'percent'
  | 'curly'
  | 'uri';

/** The references that a host understands in its texts. */
export interface Syntax {
  readonly forms: readonly Form[];
  /** What the host does with a variable that is not set. */
  readonly unset: 'refuse' | 'empty';
  /** Variables that stand for the folder of the project. */
  readonly rootNames?: readonly string[] | undefined;
}

/** One thing that a reference may stand for; schemes other than these are left to who resolves them. */
export interface Choice {
  readonly scheme: 'env' | 'input' | 'place' | 'value' | 'unknown' | (string & {});
  readonly name: string;
}

/** A reference: the first of its choices that there is. */
export interface Placeholder {
  readonly text: string;
  readonly choices: readonly Choice[];
}

export type Part = string | Placeholder;

/** Hosts that put texts to use as they are. */
export const noReferences: Syntax = { forms: [], unset: 'refuse' };

const name = '[A-Za-z_][A-Za-z0-9_]*';
const wholeName = new RegExp(`^${name}$`);
const places: ReadonlyMap<string, string> = new Map([
  ['workspaceFolder', 'workspaceFolder'],
  ['workspaceFolderBasename', 'workspaceFolderBasename'],
  ['userHome', 'userHome'],
  ['pathSeparator', 'pathSeparator'],
  ['/', 'pathSeparator'],
]);

/** What may begin a reference, for each form; all that begin with `${` share one pattern. */
const patterns: readonly (readonly [readonly Form[], string])[] = [
  [
    ['brace', 'brace-default', 'brace-env', 'input', 'place', 'uri'],
    String.raw`\$\{(?<brace>[^}]*)\}?`,
  ],
  [['dollar-env'], String.raw`\$env:(?<dollarEnv>${name})`],
  [['dollar'], String.raw`\$(?<dollar>${name})`],
  [['curly'], String.raw`\{(?<curlyScheme>env|file):(?<curly>[^{}]+)\}`],
  [['percent'], `%(?<percent>${name})%`],
];

/** Splits a text into what stands for itself and what refers to something. */
export function parseTemplate(text: string, syntax: Syntax): readonly Part[] {
  const usable = patterns.filter(([forms]) => forms.some((form) => syntax.forms.includes(form)));
  if (usable.length === 0) return [text];
  const pattern = new RegExp(usable.map(([, source]) => source).join('|'), 'g');
  const parts: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push({ text: match[0], choices: choicesOf(match[0], match.groups ?? {}, syntax) });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

function choicesOf(
  whole: string,
  groups: Readonly<Record<string, string | undefined>>,
  syntax: Syntax,
): readonly Choice[] {
  const { brace, dollarEnv, dollar, curly, curlyScheme, percent } = groups;
  const variable = dollarEnv ?? dollar ?? percent;
  if (variable !== undefined) return [{ scheme: 'env', name: variable }];
  if (curly !== undefined) return [{ scheme: curlyScheme ?? 'env', name: curly }];
  const content = brace ?? '';
  if (!whole.endsWith('}')) return [{ scheme: 'unterminated', name: content }];
  if (syntax.forms.includes('uri')) return content.split('|').map((part) => uriChoice(part));
  return braceChoices(content, syntax);
}

/** `scheme:rest`, as in SEP-2633. */
function uriChoice(part: string): Choice {
  const content = part.trim();
  const colon = content.indexOf(':');
  const scheme = content.slice(0, Math.max(colon, 0));
  if (!/^[A-Za-z][A-Za-z0-9+.-]*$/.test(scheme)) return { scheme: 'unknown', name: content };
  return { scheme, name: content.slice(colon + 1) };
}

function braceChoices(content: string, { forms, rootNames = [] }: Syntax): readonly Choice[] {
  for (const [form, scheme] of [
    ['brace-env', 'env'],
    ['input', 'input'],
  ] as const) {
    if (!forms.includes(form) || !content.startsWith(`${scheme}:`)) continue;
    return [{ scheme, name: content.slice(scheme.length + 1) }];
  }
  const place = places.get(content);
  if (forms.includes('place') && place !== undefined) return [{ scheme: 'place', name: place }];
  if (rootNames.includes(content)) return [{ scheme: 'place', name: 'workspaceFolder' }];
  return shellChoices(content, forms) ?? [{ scheme: 'unknown', name: content }];
}

/** `A` and `A:-b`, as shells have them. */
function shellChoices(content: string, forms: readonly Form[]): readonly Choice[] | undefined {
  const separator = content.indexOf(':-');
  const variable = separator === -1 ? content : content.slice(0, separator);
  if (!forms.includes('brace') || !wholeName.test(variable)) return undefined;
  const env = { scheme: 'env', name: variable };
  if (separator === -1) return [env];
  if (!forms.includes('brace-default')) return undefined;
  return [env, { scheme: 'value', name: content.slice(separator + 2) }];
}

/** The text that means the same to another host, or undefined when that host cannot say it. */
export function translate(text: string, from: Syntax, to: Syntax): string | undefined {
  const parts = parseTemplate(text, from);
  const written = parts.map((part) => (typeof part === 'string' ? part : write(part, to)));
  if (written.includes(undefined)) return undefined;
  const result = written.join('');
  // What stood for itself must not refer to something now.
  return sameMeaning(parts, parseTemplate(result, to)) ? result : undefined;
}

function sameMeaning(one: readonly Part[], other: readonly Part[]): boolean {
  const meaning = (parts: readonly Part[]): string =>
    JSON.stringify(
      parts.map((part) =>
        typeof part === 'string' ? part : part.choices.map(({ scheme, name: to }) => [scheme, to]),
      ),
    );
  return meaning(one) === meaning(other);
}

function write({ choices }: Placeholder, to: Syntax): string | undefined {
  const [first, second] = choices;
  if (to.forms.includes('uri')) {
    const known = choices.every(({ scheme }) => scheme !== 'place' && scheme !== 'unknown');
    const texts = choices.map(({ scheme, name: rest }) => `${scheme}:${rest}`);
    return known ? `\${${texts.join(' | ')}}` : undefined;
  }
  if (first === undefined) return undefined;
  if (second === undefined) return writeChoice(first, to);
  const defaulted = choices.length === 2 && first.scheme === 'env' && second.scheme === 'value';
  if (!defaulted || !to.forms.includes('brace-default')) return undefined;
  return `\${${first.name}:-${second.name}}`;
}

function writeChoice({ scheme, name: target }: Choice, to: Syntax): string | undefined {
  if (scheme === 'env') return writeVariable(target, to);
  if (scheme === 'input') return to.forms.includes('input') ? `\${input:${target}}` : undefined;
  if (scheme === 'file') return to.forms.includes('curly') ? `{file:${target}}` : undefined;
  if (scheme !== 'place') return undefined;
  if (to.forms.includes('place')) return `\${${target}}`;
  const [root] = to.rootNames ?? [];
  return root !== undefined && target === 'workspaceFolder' ? `\${${root}}` : undefined;
}

/** A reference to a variable of the environment as the host writes it, if it can. */
export function writeVariable(variable: string, { forms }: Syntax): string | undefined {
  if (forms.includes('brace-env')) return `\${env:${variable}}`;
  if (forms.includes('uri')) return `\${env:${variable}}`;
  if (forms.includes('brace')) return `\${${variable}}`;
  return forms.includes('curly') ? `{env:${variable}}` : undefined;
}

/** The variable that a text consists of entirely, after a prefix. */
export function soleVariable(text: string, syntax: Syntax, prefix = ''): string | undefined {
  if (!text.startsWith(prefix)) return undefined;
  const [part, ...others] = parseTemplate(text.slice(prefix.length), syntax);
  if (part === undefined || typeof part === 'string' || others.length > 0) return undefined;
  const [choice, ...alternatives] = part.choices;
  return choice?.scheme === 'env' && alternatives.length === 0 ? choice.name : undefined;
}
