import type { Change } from '#cocos/document';
import type { SceneDocument } from '#cocos/edit';
import type { Edit } from '../edits/index.ts';
import { renamed } from '../renamed.ts';

type Steps = readonly (readonly Change[])[];

/** Hides the handles of what will get its uuid from the editor: `$name` where it has one, else nothing. */
export function masked<Results extends readonly unknown[]>(
  { steps, results }: { readonly steps: Steps; readonly results: Results },
  {
    edits,
    before,
    planned,
  }: {
    readonly edits: readonly Edit[];
    /** The text of the scene as it is. */
    readonly before: string;
    readonly planned: SceneDocument;
  },
): { steps: Steps; results: Results } {
  const known = new Set(before.match(/(?<=")[0-9a-f]{2}[0-9A-Za-z+/]{20}(?=")/g));
  const made = new Map<string, { name: string; path: string }>();
  for (const { handle, index, inside, instance = index } of planned.view.items()) {
    const stored = inside ? planned.view.item(instance)?.handle : handle;
    if (index !== planned.view.root && !known.has(stored ?? '')) {
      made.set(handle, { name: '', path: planned.view.path(index) });
    }
  }
  if (made.size === 0) return { steps, results };
  for (const [place, edit] of edits.entries()) {
    const name = edit.as;
    const result = results[place] as {
      nodeUuid?: string | undefined;
      componentUuid?: string | undefined;
    };
    const item = made.get(result.componentUuid ?? result.nodeUuid ?? '');
    if (name !== undefined && item !== undefined) item.name = `$${name}`;
  }
  return {
    results: renamed(results, (text) => made.get(text)?.name ?? text),
    steps: renamed(steps, (text) => {
      const item = made.get(text);
      return item === undefined ? text : item.name || item.path;
    }),
  };
}
