import type { ConfigScope, DialectId } from './entry.ts';
import type { ConfigFormat } from './format/document.ts';
import type { Kind } from './facts.ts';
import type { Field } from './field.ts';
import type { Place } from './place.ts';
import type { Syntax } from './template.ts';

/** Where the files of a host may be: the project, the home folder, and the system they are on. */
export interface Surroundings {
  readonly root: string;
  readonly home?: string | undefined;
  readonly platform: NodeJS.Platform;
  /** For the folders that a host takes from there, such as `XDG_CONFIG_HOME` and `APPDATA`. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A file that a host reads: the first of `files` that exists. */
export interface Candidate {
  readonly dialect: DialectId;
  readonly files: readonly string[];
  readonly scope: ConfigScope;
  /** Lower wins. */
  readonly rank: number;
}

/** A part of a document that maps names to servers. */
export interface Section {
  readonly path: readonly string[];
  /** Keys of the map that are no servers. */
  readonly except?: readonly string[] | undefined;
  readonly scope?: ConfigScope | undefined;
  readonly rank?: number | undefined;
}

/** How one host writes its servers down. All that differs between hosts is here, as data. */
export interface Dialect {
  readonly id: DialectId;
  readonly title: string;
  readonly format: ConfigFormat;
  /** Where new servers are written. */
  readonly home: readonly string[];
  /** The document that the first server is written into. */
  readonly blank?: Readonly<Record<string, unknown>> | undefined;
  readonly sections?: (document: unknown, surroundings: Surroundings | undefined) => Section[];
  readonly fields: ReadonlyMap<string, Field>;
  /** Keys that the host has and this model has not; kept as they are. */
  readonly alsoKnown?: ReadonlySet<string> | undefined;
  /** The host refuses keys that it does not know. */
  readonly strict?: boolean | undefined;
  /** What a server with a URL and without a type is to the host; without, the host refuses it. */
  readonly urlAlone?: Kind | undefined;
  readonly names?: RegExp | undefined;
  readonly syntax: Syntax;
  /** Whether the document switches a server off outside of its entry. */
  readonly isOff?: ((document: unknown, name: string) => boolean) | undefined;
  /** Refuses, by throwing, what the host refuses although every field is well formed. */
  readonly check?:
    | ((raw: Readonly<Record<string, unknown>>, name: string, place: Place) => void)
    | undefined;
  /** The same for the document around the servers. */
  readonly checkDocument?:
    | ((document: Readonly<Record<string, unknown>>, place: Place) => void)
    | undefined;
  /** Adds what the host wants to see in every server. */
  readonly complete?:
    | ((raw: Readonly<Record<string, unknown>>, name: string) => object)
    | undefined;
  /** The paths of files that belong to this host, with forward slashes. */
  readonly owns?: RegExp | undefined;
  readonly where?: ((surroundings: Surroundings) => readonly Candidate[]) | undefined;
}

/** How strongly each scope counts; lower wins. `local` is what a user keeps for one project. */
export const ranks = { explicit: 0, managed: 10, local: 20, project: 30, user: 40 } as const;

/** The fields of a dialect, safe to look up any key in. */
export function fieldsOf(fields: Readonly<Record<string, Field>>): ReadonlyMap<string, Field> {
  return new Map(Object.entries(fields));
}
