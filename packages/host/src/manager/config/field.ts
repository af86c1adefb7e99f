import { isRecord, withoutUndefined } from 'mcp-kit/internal';
import type { OAuthSettings, TextRecord } from './entry.ts';
import type { Fact, Facts, Kind } from './facts.ts';
import { below, configError, type Place } from './place.ts';

/** What a field says in our terms, and what it says beyond them. */
export interface Reading extends Facts {
  rest?: unknown;
  /** The keys of single facts, where they are not the key of the field. */
  keys?: Readonly<Partial<Record<Fact, string>>> | undefined;
}

/** One key of a dialect: how its value is read, and how facts are written under it; undefined writes nothing. */
export interface Field {
  readonly read: (value: unknown, place: Place) => Reading;
  readonly write: (facts: Facts) => unknown;
}

/** Reads a field; only what it says is a member. */
export function readField(field: Field, value: unknown, place: Place): Reading {
  return withoutUndefined(field.read(value, place));
}

/** The object of these members, or undefined when there are none. */
export function restOf(members: readonly (readonly [string, unknown])[]): object | undefined {
  return members.length === 0 ? undefined : Object.fromEntries(members);
}

/** Another key for the same; read, and never written. */
export function alias(field: Field): Field {
  return { read: field.read, write: () => undefined };
}

type FactsOf<Type> = {
  [Key in Fact]-?: NonNullable<Facts[Key]> extends Type
    ? Type extends NonNullable<Facts[Key]>
      ? Key
      : never
    : never;
}[Fact];

const a = (fact: Fact, value: unknown): Reading => ({ [fact]: value });

/** A text. */
export function text(fact: FactsOf<string>): Field {
  return {
    read: (value, place) => a(fact, asText(value, place)),
    write: (facts) => facts[fact],
  };
}

/** A list of texts. */
export function texts(fact: FactsOf<readonly string[]>): Field {
  return {
    read: (value, place) => a(fact, asTexts(value, place)),
    write: (facts) => facts[fact],
  };
}

/** Texts by name; numbers and booleans count as their text, and `null`, which unsets, is left to the host. */
export function textMap(fact: FactsOf<TextRecord>): Field {
  return {
    read(value, place) {
      const entries = Object.entries(asRecord(value, place));
      const kept = entries.filter(([, item]) => item === null);
      const set = entries.filter(([, item]) => item !== null);
      const map = set.map(([key, item]) => [key, asLooseText(item, below(place, key))]);
      return { ...a(fact, Object.fromEntries(map)), rest: restOf(kept) };
    },
    write: (facts) => facts[fact],
  };
}

const programFields = { command: text('command'), args: texts('args') };
const remoteFields = { url: text('url'), headers: textMap('headers') };

/** How a server is reached, under the names that most hosts have for it. */
export const plainFields: Readonly<Record<string, Field>> = {
  ...programFields,
  env: textMap('env'),
  ...remoteFields,
};

/** The same where programs start in a folder of their own. */
export const usualFields: Readonly<Record<string, Field>> = {
  ...programFields,
  cwd: text('cwd'),
  env: textMap('env'),
  ...remoteFields,
};

/** Yes or no; `opposite` when the host asks the opposite question. */
export function flag(fact: 'enabled' | 'inheritEnv', opposite = false): Field {
  return {
    read: (value, place) => a(fact, asBoolean(value, place) !== opposite),
    write: (facts) => {
      const value = facts[fact];
      return value === undefined ? undefined : value !== opposite;
    },
  };
}

/** A time, in the unit of the host. */
export function time(fact: 'startupMs' | 'requestMs', unit: 'ms' | 's'): Field {
  const factor = unit === 's' ? 1000 : 1;
  return {
    read: (value, place) => a(fact, asPositive(value, place) * factor),
    write: (facts) => {
      const value = facts[fact];
      return value === undefined ? undefined : value / factor;
    },
  };
}

/** The program and its arguments in one list. */
export const commandLine: Field = {
  read(value, place) {
    const [command, ...args] = asTexts(value, place);
    if (command === undefined) throw configError(place, 'must name a program');
    return { command, args };
  },
  write: ({ command, args = [] }) => (command === undefined ? undefined : [command, ...args]),
};

/** A program, or a program and its arguments in one list. */
export const commandOrLine: Field = {
  read: (value, place) =>
    Array.isArray(value) ? commandLine.read(value, place) : { command: asText(value, place) },
  write: ({ command }) => command,
};

/** The word for the kind of transport. Unless told otherwise, the first word that is read for a kind is written for it. */
export function kindField(
  read: Readonly<Record<string, Kind>>,
  write: Readonly<Partial<Record<Kind, string>>> = firstWords(read),
): Field {
  const known = new Map(Object.entries(read));
  return {
    read(value, place) {
      const kind = known.get(asText(value, place));
      if (kind !== undefined) return { kind };
      throw configError(place, `must be one of ${[...known.keys()].join(', ')}`);
    },
    write: ({ kind = 'stdio' }) => write[kind] ?? (kind === 'auto' ? write.http : undefined),
  };
}

function firstWords(read: Readonly<Record<string, Kind>>): Partial<Record<Kind, string>> {
  return Object.fromEntries(
    Object.entries(read)
      .map(([word, kind]) => [kind, word])
      .toReversed(),
  );
}

/** What the host knows of authorization, under its own names; `scopes` may be one text of words. */
export function oauthField(
  names: Readonly<Partial<Record<keyof OAuthSettings, string>>>,
  scopesAs: 'list' | 'words' = 'list',
): Field {
  const ours = new Map(Object.entries(names).map(([our, their]) => [their, our]));
  const theirs = (key: string, value: unknown): unknown =>
    key === 'scopes' && scopesAs === 'words' && Array.isArray(value) ? value.join(' ') : value;
  return {
    read(value, place) {
      if (value === false) return { oauth: false };
      const known: [string, unknown][] = [];
      const rest: [string, unknown][] = [];
      for (const [key, item] of Object.entries(asRecord(value, place))) {
        const our = ours.get(key);
        if (our === undefined) rest.push([key, item]);
        else known.push([our, oauthValue(our, item, below(place, key))]);
      }
      return { oauth: Object.fromEntries(known), rest: restOf(rest) };
    },
    write({ oauth }) {
      if (oauth === undefined || oauth === false) return oauth;
      const members = Object.entries(names)
        .map(([our, their]) => [their, theirs(our, Reflect.get(oauth, our))] as const)
        .filter(([, value]) => value !== undefined);
      const saysNone = members.length === 0 && Object.keys(oauth).length > 0;
      return saysNone ? undefined : Object.fromEntries(members);
    },
  };
}

function oauthValue(our: string, value: unknown, place: Place): unknown {
  if (our === 'callbackPort') return asPositive(value, place);
  if (our !== 'scopes') return asText(value, place);
  return typeof value === 'string' ? value.split(/\s+/).filter(Boolean) : asTexts(value, place);
}

export function asText(value: unknown, place: Place): string {
  if (typeof value === 'string') return value;
  throw configError(place, `must be a text, not ${nameOf(value)}`);
}

function asLooseText(value: unknown, place: Place): string {
  const scalar = typeof value === 'number' || typeof value === 'boolean';
  return scalar ? String(value) : asText(value, place);
}

export function asTexts(value: unknown, place: Place): readonly string[] {
  if (!Array.isArray(value)) throw configError(place, `must be a list, not ${nameOf(value)}`);
  return value.map((item, index) => asLooseText(item, below(place, index)));
}

export function asRecord(value: unknown, place: Place): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw configError(place, `must be an object, not ${nameOf(value)}`);
}

export function asBoolean(value: unknown, place: Place): boolean {
  if (typeof value === 'boolean') return value;
  throw configError(place, `must be true or false, not ${nameOf(value)}`);
}

export function asPositive(value: unknown, place: Place): number {
  if (typeof value === 'number' && value >= 0 && Number.isFinite(value)) return value;
  throw configError(place, 'must be a number, zero or more');
}

/** What a value is, in a word; never the value itself, which may be a secret. */
function nameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
