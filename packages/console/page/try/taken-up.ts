import { ask } from '../api.ts';
import { goTo } from '../place.ts';
import { book, type Row } from '../rows.ts';
import { createStore } from '../store.ts';
import { chosen, keyOf, setDraft } from './drafts.ts';

/** The result that a call had which is tried again, by the key of its tool. */
export const before = createStore<{ readonly key: string; readonly result: unknown } | undefined>(
  undefined,
);

interface Whole {
  readonly message?: {
    readonly params?: unknown;
    readonly result?: unknown;
    readonly error?: unknown;
  };
}

/** Takes a call up from what was heard, with its arguments, to be made again and compared. */
export async function takeUp(row: Row): Promise<void> {
  const { message } = await ask<Whole>('message', { seq: row.seq });
  const { name, arguments: args = {} } = Object(message?.params) as {
    readonly name?: string;
    readonly arguments?: unknown;
  };
  if (name === undefined) return;
  const key = keyOf({ kind: 'tool', name });
  const answer = book().answers.get(row.seq);
  const whole = answer === undefined ? undefined : await ask<Whole>('message', { seq: answer.seq });
  before.set({ key, result: whole?.message?.result ?? whole?.message?.error });
  setDraft(key, JSON.stringify(args, undefined, 2));
  chosen.set(key);
  goTo('try');
}
