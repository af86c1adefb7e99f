import { cloneJson, type Entry, type Json, refIndices, type Table } from '@mcp-kit/cocos/document';
import type { Workspace } from '@mcp-kit/cocos/edit';
import { inspectTable, type Memory } from '@mcp-kit/cocos/validate';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { dialog, game, menu } from '../../support/cocos/defects.ts';
import { ProjectCopy } from '../../support/cocos/sample-project.ts';

type Objects = (Entry | undefined)[];
type Own = Record<string, Json>;

const runs = Math.max(40, Math.round(Number(process.env['PROPERTY_RUNS']) / 20));

/** What is said of a table, and what would be done about it. */
const saidOf = (workspace: Workspace, subject: { file: string; table: Table; memory?: Memory }) =>
  inspectTable(workspace, subject).issues.map(({ fix, ...issue }) => ({
    ...issue,
    isFixable: fix !== undefined,
  }));

/** Changes some objects, as edits do and as nothing should; those that do not change stay the same. */
function change(objects: Objects, pick: (count: number) => number): void {
  // A file begins with an object that leads to the root, or it would not be opened.
  const present = [...objects.keys()].filter((index) => index > 0 && objects[index] !== undefined);
  const any = (): number => present[pick(present.length)] ?? 1;
  const own = (index: number): Own => {
    const copy = cloneJson(objects[index] ?? {}) as Own;
    objects[index] = copy;
    return copy;
  };
  const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? [...value] : []);
  const at = any();
  const entry = own(at);
  const fields = ['_children', '_components', '_parent', 'node', '_prefab', '__type__', '_id'];
  const field = fields[pick(fields.length)] ?? '_name';
  const ways: (() => void)[] = [
    () => {
      entry['_name'] = `N${pick(100)}`;
    },
    () => {
      entry[field] = list(entry[field]).slice(1);
    },
    () => {
      entry[field] = [...list(entry[field]), { __id__: any() }];
    },
    () => {
      entry[field] = { __id__: any() };
    },
    () => {
      entry[field] = objects[any()]?.[field] ?? null;
    },
    () => {
      if (at > 1) objects[at] = undefined;
    },
    // A node is moved as it should be.
    () => {
      const [child] = refIndices(entry['_children']);
      const to = any();
      if (child === undefined || to === at) return;
      entry['_children'] = list(entry['_children']).slice(1);
      const parent = own(to);
      parent['_children'] = [...list(parent['_children']), { __id__: child }];
      own(child)['_parent'] = { __id__: to };
    },
    // A node comes where it should.
    () => {
      const node = {
        ...cloneJson(objects[at] ?? {}),
        _children: [],
        _components: [],
        _prefab: null,
      };
      const added = objects.push({ ...node, _parent: { __id__: at }, _id: `id${objects.length}` });
      entry['_children'] = [...list(entry['_children']), { __id__: added - 1 }];
    },
    // A node goes with what refers to it from above.
    () => {
      const [child] = refIndices(entry['_children']);
      if (child === undefined || child <= 1) return;
      entry['_children'] = list(entry['_children']).slice(1);
      objects[child] = undefined;
    },
  ];
  ways[pick(ways.length)]?.();
}

test('what is remembered of a file changes nothing of what is said of it', async () => {
  using copy = new ProjectCopy();
  const workspace = await copy.open();
  let faults = 0;
  let sound = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(menu, game, dialog),
      fc.array(fc.array(fc.nat(), { minLength: 3, maxLength: 12 }), { maxLength: 8 }),
      (file, steps) => {
        const memory: Memory = {};
        let table = workspace.draft.table(file);
        expect(saidOf(workspace, { file, table, memory })).toEqual([]);
        for (const numbers of steps) {
          const waiting = [...numbers];
          const objects = [...table.objects];
          while (waiting.length > 0) change(objects, (count) => (waiting.pop() ?? 0) % count);
          const next: Table = { ...table, objects };
          const said = saidOf(workspace, { file, table: next, memory });
          expect(said).toEqual(saidOf(workspace, { file, table: next }));
          if (said.length > 0) faults += 1;
          else sound += 1;
          // Sometimes what is wrong is put right again.
          if (said.length === 0 || (numbers[0] ?? 0) % 2 === 0) table = next;
        }
      },
    ),
    { numRuns: runs },
  );
  expect(Math.min(faults, sound)).toBeGreaterThan(50);
});
