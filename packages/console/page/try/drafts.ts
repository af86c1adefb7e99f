import { createKept, createStore } from '../store.ts';
import type { Offer, Schema } from './offers.ts';

/** A call that was made or kept. */
export interface Kept {
  readonly kind: Offer['kind'];
  readonly name: string;
  readonly text: string;
  readonly at: number;
}

/** What is typed for each offer, letter by letter: nothing that was typed is ever taken away. */
export const drafts = createStore<Readonly<Record<string, string>>>({});
/** Which offer is looked at, as `keyOf` names it. */
export const chosen = createStore<string | undefined>(undefined);
/** Calls that were made while this page was open. */
export const history = createStore<readonly Kept[]>([]);
/** Calls that somebody wants to make again, also tomorrow. */
export const saved = createKept<readonly Kept[]>('saved', []);

const mostHistory = 100;

export function keyOf({ kind, name }: Pick<Offer, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}

export function setDraft(key: string, text: string): void {
  drafts.set({ ...drafts.get(), [key]: text });
}

/** What is typed for an offer; before anything is, what its schema begins with. */
export function draftOf(offer: Offer, all: Readonly<Record<string, string>>): string {
  return all[keyOf(offer)] ?? JSON.stringify(beginning(offer.schema), undefined, 2);
}

export function remember(kept: Kept): void {
  history.set([kept, ...history.get()].slice(0, mostHistory));
}

export function takeKept({ kind, name, text }: Kept): void {
  setDraft(keyOf({ kind, name }), text);
  chosen.set(keyOf({ kind, name }));
}

/** The members that are required, with their defaults. */
function beginning({ properties = {}, required = [] }: Schema): object {
  const members = Object.entries(properties).flatMap(([name, schema]) => {
    if (schema.default !== undefined) return [[name, schema.default] as const];
    return required.includes(name) ? [[name, emptyOf(schema)] as const] : [];
  });
  return Object.fromEntries(members);
}

/** A value of the kind that a schema wants. */
export function emptyOf(schema: Schema): unknown {
  const { type, enum: choices, const: only, examples } = schema;
  if (schema.default !== undefined) return schema.default;
  if (only !== undefined) return only;
  if (choices !== undefined) return choices[0];
  if (examples !== undefined && examples.length > 0) return examples[0];
  switch (Array.isArray(type) ? type[0] : type) {
    case 'object':
      return beginning(schema);
    case 'array':
      return [];
    case 'number':
    case 'integer':
      return schema.minimum ?? 0;
    case 'boolean':
      return false;
    default:
      return '';
  }
}
