import { clientText } from '#protocol';
import type { ClientView } from './context.ts';

const maxKept = 256;

/**
 * Gives equal views the same object. A busy server has thousands of sessions from a handful of client programs,
 * and what a client says of itself is a good part of what an idle session weighs.
 */
export function createClientViews(): (view: ClientView) => ClientView {
  const kept = new Map<string, ClientView>();
  return (view) => {
    const key = clientText(view);
    const known = kept.get(key);
    if (known !== undefined) return known;
    if (kept.size >= maxKept) kept.clear();
    kept.set(key, view);
    return view;
  };
}
