import type { ToolEffect } from '@mcp-kit/host';

/** What a call may do, from the least on. */
export const effects: readonly ToolEffect[] = ['read', 'write', 'destructive'];

/** Whether what may do one may do the other. */
export function covers(allowed: ToolEffect, effect: ToolEffect): boolean {
  return effects.indexOf(effect) <= effects.indexOf(allowed);
}
