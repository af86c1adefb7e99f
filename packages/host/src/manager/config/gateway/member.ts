import type { KitError } from 'mcp-kit/internal';
import type { ConfigScope } from '../entry.ts';
import type { ConfigWarning, Place } from '../place.ts';

/** What one file says under a member of `gateway`. */
export interface Said<T> {
  readonly value: T;
  readonly place: Place;
  readonly scope: ConfigScope;
}

/** What else is known when the words of all files become one. */
export interface Joining {
  /** The servers of all files, by name. */
  readonly servers: ReadonlySet<string>;
  /** Notes what cannot count; the rest does. */
  refuse(error: KitError): void;
  /** Notes what is likely not what was meant. */
  warn(warning: ConfigWarning): void;
}

/** One member of `gateway` in `mcp.json`. */
export interface GatewayMember<T> {
  /** Reads and checks it; throws what is wrong, with its place. */
  read(value: unknown, place: Place): T;
  /**
   * Makes one of what several files say. The first counts most: files that were named, of administrators and of the user come
   * before those of a project, which somebody else may have written.
   */
  join(said: readonly Said<T>[], joining: Joining): T;
}
