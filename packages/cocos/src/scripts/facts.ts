import type { Json } from '#cocos/document';

/** What a property may hold. */
export interface PropertyType {
  readonly kind:
    | 'number'
    | 'integer'
    | 'string'
    | 'boolean'
    | 'enum'
    | 'node'
    | 'component'
    | 'asset'
    | 'value'
    | 'class'
    | 'unknown';
  /** The class: `cc.Label` of the engine, or the name of a class or enum of the project's scripts. */
  readonly name?: string | undefined;
  /** The names of an enum with their numbers, where they are known. */
  readonly values?: Readonly<Record<string, number | string>> | undefined;
}

/** A field or accessor that the editor shows or stores. */
export interface ScriptProperty {
  readonly name: string;
  readonly type: PropertyType;
  readonly array: boolean;
  /** What a new component has, as it is stored. */
  readonly default: Json;
  /** False where the default is computed by something that cannot be read from the source; it is then the empty value. */
  readonly defaultKnown: boolean;
  /** The class of which the default is a new object. */
  readonly creates?: string | undefined;
  /** Accessors are shown by the editor, and not stored. */
  readonly serialized: boolean;
  readonly tooltip?: string | undefined;
}

/** A class of a script as it is written. */
export interface ScriptClass {
  /** Its name in the source; empty for a class without. */
  readonly name: string;
  /** The name under which the engine knows it. */
  readonly className: string;
  /** Whether it has `@ccclass`. */
  readonly decorated: boolean;
  /** What it extends: `cc.Component`, or a class of the project. */
  readonly base?: string | undefined;
  /** The components it requires: `cc.Sprite`. */
  readonly requires: readonly string[];
  readonly properties: readonly ScriptProperty[];
  /** The names of what events can call. */
  readonly methods: readonly string[];
}

/** A name that a script takes from another file. */
export interface ScriptImport {
  readonly local: string;
  /** The name there: `default`, or `*` for all. */
  readonly imported: string;
  readonly from: string;
}

/** What a script says about its classes. */
export interface ScriptFacts {
  readonly classes: readonly ScriptClass[];
  readonly imports: readonly ScriptImport[];
  readonly enums: Readonly<Record<string, Readonly<Record<string, number | string>>>>;
  /** Why nothing could be read. */
  readonly problem?: string | undefined;
}
