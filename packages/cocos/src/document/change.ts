import type { Json } from './json.ts';

/** One thing that an edit did, for people to read: `target` is a handle or a file. */
export interface Change {
  readonly type: 'create' | 'update' | 'delete' | 'move';
  readonly target: string;
  readonly field?: string;
  readonly from?: Json | undefined;
  readonly to?: Json | undefined;
}
