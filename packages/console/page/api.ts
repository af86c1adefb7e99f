import { createStore } from './store.ts';

/** Whether this browser was let in, and whether it hears the gateway. */
export type Access = 'entering' | 'in' | 'lost' | 'refused';

export const access = createStore<Access>('entering');

/** What was refused, with what to do about it. */
class AskError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint: string | undefined) {
    super(message);
    this.hint = hint;
  }
}

/** Asks the console behind this page. */
export async function ask<T>(name: string, body: object = {}): Promise<T> {
  const response = await fetch(`/console/api/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const said: unknown = await response.json();
  if (response.ok) return said as T;
  if (response.status === 401) access.set('refused');
  const { message, hint } = Object(Object(said).error) as { message?: string; hint?: string };
  throw new AskError(message ?? response.statusText, hint);
}

/** Uses up the word in the address of this page, and takes it out of there and out of the history of the browser. */
export async function enter(): Promise<boolean> {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return true;
  history.replaceState(null, '', location.pathname);
  return ask('enter', { token }).then(
    () => true,
    () => false,
  );
}
