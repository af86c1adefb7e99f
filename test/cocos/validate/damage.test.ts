import { CocosError, type Json } from '@mcp-kit/cocos/document';
import { openWorkspace, readDocument } from '@mcp-kit/cocos/edit';
import { renderDocument } from '@mcp-kit/cocos/render';
import { type Finding, repairDocument, validateDocument } from '@mcp-kit/cocos/validate';
import { expect, test } from 'vitest';
import { button, dialog, game, menu } from '../../support/cocos/defects.ts';
import { ProjectCopy } from '../../support/cocos/sample-project.ts';

/** Numbers from 0 to 1 that are the same in every run. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Puts something else in some place of a value. */
function damage(objects: Json[], random: () => number): void {
  const pick = <Value>(list: readonly Value[]): Value | undefined =>
    list[Math.floor(random() * list.length)];
  let owner = objects as unknown as Record<string, Json>;
  let key = String(Math.floor(random() * objects.length));
  for (;;) {
    const value = owner[key];
    const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
    const next = random() < 0.75 ? pick(keys) : undefined;
    if (next === undefined) break;
    owner = value as Record<string, Json>;
    key = next;
  }
  const inFile = { __id__: Math.floor(random() * objects.length) };
  const others = [null, 7, -1, 1e9, 'x', '', [], {}, true, { __uuid__: 'q' }];
  const references = [inFile, { __id__: 99_999 }, { __id__: 'a' }, [{ __id__: 2 }, null, 5]];
  owner[key] = pick<Json>([...others, ...references]) ?? null;
}

const runs = Math.max(25, Math.round(Number(process.env['PROPERTY_RUNS']) / 100));

const errorsIn = (findings: readonly Finding[]): number =>
  findings.filter(({ severity }) => severity === 'error').length;

test('Whatever is damaged is looked at, drawn or refused, and repaired without making it worse', async () => {
  using copy = new ProjectCopy();
  const { project } = await copy.open();
  const random = numbersFrom(7);
  for (let run = 0; run < runs; run += 1) {
    const file = [menu, game, dialog, button][run % 4] ?? menu;
    const objects = JSON.parse(copy.read(file)) as Json[];
    for (let count = 0; count <= run % 3; count += 1) damage(objects, random);
    const draft = project.draft();
    draft.write(file, JSON.stringify(objects, null, 2));
    const workspace = await openWorkspace(project, draft);
    const before = validateDocument(workspace, file, { lines: true });
    const isTable = !before.some(({ code }) => code === 'badHead' || code === 'notArray');
    try {
      if (isTable) renderDocument(readDocument(workspace, file));
    } catch (error) {
      if (!(error instanceof CocosError)) throw error;
    }
    const { remaining } = repairDocument(workspace, file);
    expect(errorsIn(remaining), `run ${run}`).toBeLessThanOrEqual(errorsIn(before));
    expect(repairDocument(workspace, file).changes, `run ${run}`).toEqual([]);
  }
});
