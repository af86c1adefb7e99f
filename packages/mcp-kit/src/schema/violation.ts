/** A keyword that a value does not satisfy, and where. */
export interface Violation {
  readonly keyword: string;
  /** Names and indexes that lead to the value. */
  readonly steps: readonly PropertyKey[];
  /** The value of the keyword, and the schema that has it. */
  readonly schema?: unknown;
  readonly parentSchema?: Readonly<Record<string, unknown>> | undefined;
  readonly data?: unknown;
  /** Which property is missing or too much, and the like. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string | undefined;
}
