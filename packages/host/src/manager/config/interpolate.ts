import path from 'node:path';
import type { ServerEntry, TextRecord, TransportSettings } from './entry.ts';
import { configError, type ConfigWarning, type Place } from './place.ts';
import { mapTexts, placeOf } from './texts.ts';
import { syntaxOf } from './dialects/index.ts';
import {
  parseTemplate,
  writeVariable,
  type Choice,
  type Placeholder,
  type Syntax,
} from './template.ts';

/** What references in a configuration are resolved with. */
export interface InterpolationContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the project; relative paths start there. */
  readonly workspaceFolder: string;
  readonly userHome?: string | undefined;
  /** Answers to the questions of a configuration, by id. */
  readonly inputs?: TextRecord | undefined;
  /** Finds what other schemes refer to, such as a vault behind `op:`. */
  readonly lookUp?: ((scheme: string, name: string) => string | undefined) | undefined;
  /** Some hosts know `%NAME%`, and only on Windows. */
  readonly platform?: NodeJS.Platform | undefined;
}

/** An entry whose texts are final, and what the host would have passed over in silence. */
export interface Interpolated {
  readonly entry: ServerEntry;
  readonly warnings: readonly ConfigWarning[];
}

/**
 * Resolves every reference in the transport of an entry as its host would, and puts tokens from the environment into
 * headers. What cannot be resolved is an error that names the place and the variable. Only for entries that are trusted.
 */
export function interpolate(entry: ServerEntry, context: InterpolationContext): Interpolated {
  const warnings: ConfigWarning[] = [];
  const syntax = syntaxOn(context.platform ?? process.platform, entry);
  const resolved = mapTexts(entry, (text, place) =>
    parseTemplate(text, syntax)
      .map((part) => {
        if (typeof part === 'string') return part;
        const value = resolve(part, { entry, context, place });
        if (value !== undefined) return value;
        if (syntax.unset === 'refuse') throw unresolved(part, entry, place);
        warnings.push({ ...place, message: `${part.text} is not set: empty, as in the host` });
        return '';
      })
      .join(''),
  );
  return { entry: { ...entry, transport: settle(entry, resolved, context) }, warnings };
}

/** A reference in a configuration, and where it stands. */
export interface VariableUse {
  readonly scheme: string;
  readonly name: string;
  readonly pointer: string;
  /** It may be missing: something else is written beside it for that. */
  readonly hasDefault?: boolean | undefined;
}

/** Everything outside its file that an entry refers to: variables, questions, vaults; nothing is resolved. */
export function variablesOf(entry: ServerEntry): readonly VariableUse[] {
  return referencesOf(entry).filter(({ scheme }) => scheme !== 'place');
}

/** The same, and the folders of this machine. */
export function referencesOf(entry: ServerEntry): readonly VariableUse[] {
  const uses: VariableUse[] = [];
  const syntax = syntaxOf(entry.provenance.dialect);
  mapTexts(entry, (text, place) => {
    for (const part of parseTemplate(text, syntax)) {
      const choices = typeof part === 'string' ? [] : part.choices;
      for (const { scheme, name } of choices) {
        if (scheme === 'value') continue;
        const hasDefault = hasValue(choices) || isAnswered(entry, { scheme, name }) || undefined;
        uses.push({ scheme, name, pointer: place.pointer, hasDefault });
      }
    }
    return text;
  });
  const { transport } = entry;
  const named = (fact: string, name: string, key?: string): void => {
    uses.push({ scheme: 'env', name, pointer: placeOf(entry, fact, key).pointer });
  };
  if (transport.kind === 'stdio') {
    for (const [index, name] of transport.passEnv.entries()) named('passEnv', name, String(index));
  } else if (transport.kind === 'http') {
    if (transport.bearerTokenEnv !== undefined) named('bearerTokenEnv', transport.bearerTokenEnv);
    for (const [header, name] of Object.entries(transport.envHeaders)) {
      named('envHeaders', name, header);
    }
  }
  return uses;
}

/** Whether one of the choices is there in any case. */
function hasValue(choices: readonly Choice[]): boolean {
  return choices.some(({ scheme }) => scheme === 'value');
}

/** Whether a question has an answer of its own. */
function isAnswered({ inputs }: ServerEntry, { scheme, name }: Choice): boolean {
  return (
    scheme === 'input' &&
    inputs.some(({ id, default: given }) => id === name && given !== undefined)
  );
}

function syntaxOn(platform: NodeJS.Platform, { provenance }: ServerEntry): Syntax {
  const syntax = syntaxOf(provenance.dialect);
  if (platform === 'win32') return syntax;
  return { ...syntax, forms: syntax.forms.filter((form) => form !== 'percent') };
}

interface Resolving {
  readonly entry: ServerEntry;
  readonly context: InterpolationContext;
  readonly place: Place;
}

/** The value of the first choice that has one. */
function resolve(placeholder: Placeholder, resolving: Resolving): string | undefined {
  for (const choice of placeholder.choices) {
    const value = valueOf(choice, resolving);
    if (value !== undefined) return value;
  }
  return undefined;
}

function valueOf({ scheme, name }: Choice, { entry, context }: Resolving): string | undefined {
  const { env, inputs = {}, workspaceFolder, userHome, lookUp } = context;
  switch (scheme) {
    case 'env':
      return Object.hasOwn(env, name) ? env[name] : undefined;
    case 'value':
      return name;
    case 'input':
      return Object.hasOwn(inputs, name)
        ? inputs[name]
        : entry.inputs.find(({ id }) => id === name)?.default;
    case 'place':
      return new Map([
        ['workspaceFolder', workspaceFolder],
        ['workspaceFolderBasename', path.basename(workspaceFolder)],
        ['userHome', userHome],
        ['pathSeparator', path.sep],
      ]).get(name);
    case 'unknown':
    case 'unterminated':
      return undefined;
    default:
      return lookUp?.(scheme, name);
  }
}

const validName = /^[A-Za-z_][A-Za-z0-9_]*$/;

function unresolved({ text, choices }: Placeholder, entry: ServerEntry, place: Place): Error {
  const [choice] = choices;
  const { scheme = 'unknown', name = text } = choice ?? {};
  const server = `mcp server ${entry.name}`;
  if (scheme === 'unterminated') {
    return configError(place, `${server}: unterminated placeholder (missing \`}\`)`);
  }
  if (scheme === 'unknown') {
    const hint = validName.test(name)
      ? `This host refers to variables in another way: ${variableIn(entry)}.`
      : undefined;
    return configError(place, `${server}: invalid placeholder name: ${name}`, { hint });
  }
  if (scheme === 'env') return variableMissing(name, entry, place);
  if (scheme === 'input') {
    const hint = 'Give it among the inputs; commands of an editor are never run.';
    return configError(place, `${server}: no value for the input ${name}`, { hint });
  }
  return configError(place, `${server}: cannot resolve ${text}`);
}

function variableIn({ provenance }: ServerEntry): string {
  return writeVariable('NAME', syntaxOf(provenance.dialect)) ?? 'not at all';
}

function variableMissing(name: string, entry: ServerEntry, place: Place): Error {
  return configError(place, `mcp server ${entry.name}: read env var: ${name}`, {
    hint: `Set ${name} in the environment, or remove the reference to it.`,
  });
}

/** Makes paths absolute, and takes from the environment what is only named. */
function settle(
  entry: ServerEntry,
  transport: TransportSettings,
  { env, workspaceFolder }: InterpolationContext,
): TransportSettings {
  const absolute = (file: string): string => path.resolve(workspaceFolder, file);
  const variable = (name: string, fact: string, key?: string): string => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value === undefined) throw variableMissing(name, entry, placeOf(entry, fact, key));
    return value;
  };
  if (transport.kind === 'unix') return { ...transport, path: absolute(transport.path) };
  if (transport.kind === 'stdio') {
    const { passEnv, cwd, envFile } = transport;
    // A variable that is handed on is handed on if there is one.
    const passed = passEnv.filter((name) => Object.hasOwn(env, name) && env[name] !== undefined);
    return {
      ...transport,
      env: {
        ...Object.fromEntries(passed.map((name) => [name, env[name] ?? ''])),
        ...transport.env,
      },
      passEnv: [],
      cwd: cwd === undefined ? undefined : absolute(cwd),
      envFile: envFile === undefined ? undefined : absolute(envFile),
    };
  }
  const { bearerTokenEnv, envHeaders, ...rest } = transport;
  const fromEnv = Object.entries(envHeaders).map(
    ([header, name]) => [header, variable(name, 'envHeaders', header)] as const,
  );
  const token =
    bearerTokenEnv === undefined
      ? {}
      : { Authorization: `Bearer ${variable(bearerTokenEnv, 'bearerTokenEnv')}` };
  const headers = { ...transport.headers, ...Object.fromEntries(fromEnv), ...token };
  return { ...rest, headers, envHeaders: {} };
}
