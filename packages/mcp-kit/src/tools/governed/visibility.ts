import type { Context } from '#server';
import type { ToolLayer } from '../define-tool.ts';
import { diagnosticNames } from '../diagnostic-names.ts';
import type { Entry } from '../entry.ts';
import type { Caller } from './permission.ts';

/** Which layers are there for whom: the same for all, or decided by who asks. */
export type Visible = readonly ToolLayer[] | ((caller: Caller) => readonly ToolLayer[]);

/** Who sees which tools; what one does not see one cannot call. */
export interface Visibility {
  view(context: Context): string;
  shows(entry: Entry, view: string): boolean;
}

const layers: readonly ToolLayer[] = ['core', 'advanced', 'internal'];

export function createVisibility(visible: Visible): Visibility {
  const nameOf = (shown: readonly ToolLayer[]): string =>
    layers.filter((layer) => shown.includes(layer)).join();
  const always = typeof visible === 'function' ? undefined : nameOf(visible);
  return {
    view({ principal, client }) {
      if (always !== undefined || typeof visible !== 'function') return always ?? '';
      return nameOf(visible({ principal, client }));
    },
    // No name of a layer is part of another's.
    shows: ({ tool }, view) =>
      diagnosticNames.has(tool.name) || view.includes(tool.layer ?? 'core'),
  };
}
