import type { Tool } from 'mcp-kit/internal';

/** What a call may do, from the least on. */
export const effects = ['read', 'write', 'destructive'] as const;
export type Effect = (typeof effects)[number];

/** What a tool may do by its annotations; the protocol takes one that says nothing for destructive. */
export function effectOf({ annotations }: Pick<Tool, 'annotations'>): Effect {
  if (annotations?.readOnlyHint === true) return 'read';
  return annotations?.destructiveHint === false ? 'write' : 'destructive';
}

/** Whether what may do one may do the other. */
export function covers(allowed: Effect, effect: Effect): boolean {
  return effects.indexOf(effect) <= effects.indexOf(allowed);
}
