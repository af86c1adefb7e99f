/** What one message may cost before any of it is believed. */
export interface Limits {
  /** Bytes of one line or body. Where not all is ASCII, characters take two bytes, and have at least 16 MiB. */
  readonly maxBytes: number;
  /** Nesting of arrays and objects. */
  readonly maxDepth: number;
  /**
   * Array elements, and twice the object members, for their names and values; an empty array or object counts as one. After
   * 2,000 members one with a new name counts as six. All that is no string value has 40 bytes for each of them, and 64 KiB.
   */
  readonly maxElements: number;
}

export const defaultLimits: Limits = {
  // What is carried may have 16 MiB; the rest is for the message around it.
  maxBytes: 16 * 1024 * 1024 + 64 * 1024,
  maxDepth: 128,
  maxElements: 100_000,
};
