import {
  assetUses,
  checkTable,
  editTable,
  entryAt,
  getValue,
  isObjectId,
  overridesOf,
  parseMeta,
  parseTable,
  parseText,
  printMeta,
  printTable,
  printText,
  SceneView,
  scriptTypeOf,
  scriptUses,
  setValue,
  subAssetId,
  subMetasOf,
  textOf,
  typeOf,
} from '@mcp-kit/cocos/document';
import type { Table } from '@mcp-kit/cocos/document';
import { describe, expect, test } from 'vitest';
import { corpusFiles, hasCorpus, needsCorpus, readCorpus } from '../../support/cocos/corpus.ts';

const tableFiles = corpusFiles('.scene', '.prefab');
const metaFiles = corpusFiles('.meta');

/** The prefabs and scenes of the corpus by uuid. */
function tablesByUuid(): Map<string, Table> {
  const tables = new Map<string, Table>();
  for (const file of tableFiles) {
    const meta = parseMeta(readCorpus(`${file}.meta`));
    if (meta) tables.set(meta.uuid, parseTable(readCorpus(file), file));
  }
  return tables;
}

/** The lines in which two texts of equal length differ. */
function changedLines(before: string, after: string): string[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  expect(now.length).toBe(old.length);
  return now.filter((line, index) => line !== old[index]);
}

describe.skipIf(!hasCorpus)(`real files ${needsCorpus}`, () => {
  test('are there', () => {
    expect(tableFiles.length).toBeGreaterThan(70);
    expect(metaFiles.length).toBeGreaterThan(700);
  });

  test('come back byte for byte: every scene and prefab', () => {
    const changed = tableFiles.filter((file) => {
      const text = readCorpus(file);
      return printTable(parseTable(text, file)) !== text;
    });
    expect(changed).toEqual([]);
  });

  test('come back byte for byte: every meta', () => {
    const changed = metaFiles.filter((file) => {
      const text = readCorpus(file);
      const meta = parseMeta(text);
      const { value, style } = parseText(text);
      return (meta ? printMeta(meta) : printText(value, style)) !== text;
    });
    expect(changed).toEqual([]);
  });

  test('have their objects in the order in which they are first referred to, and hang together', () => {
    const faults = tableFiles.flatMap((file) => {
      const table = parseTable(readCorpus(file), file);
      return table.arrangement().canonical ? checkTable(table) : [`${file} is in another order`];
    });
    expect(faults).toEqual([]);
  });

  test('differ in one line after one value was set', () => {
    const changes = tableFiles.flatMap((file) => {
      const text = readCorpus(file);
      const table = editTable(parseTable(text, file));
      const view = new SceneView(table, () => undefined);
      const node = [...view.items()].find(({ index }) => entryAt(table, index)['_active'] === true);
      if (!node) return [];
      setValue(view, node.index, { path: ['_active'], value: false });
      return [changedLines(text, printTable(table)).map((line) => line.trim())];
    });
    expect(changes.length).toBeGreaterThan(70);
    expect(changes.filter((lines) => lines.join('|') !== '"_active": false,')).toEqual([]);
  });

  test('have ids of the known forms', () => {
    const tables = tableFiles.map((file) => parseTable(readCorpus(file), file));
    const scripts = tables.flatMap(scriptUses);
    expect(scripts.length).toBeGreaterThan(40);
    expect(scripts.filter(({ type, uuid }) => scriptTypeOf(uuid) !== type)).toEqual([]);
    const instances = tables
      .flatMap(({ objects }) => objects)
      .filter((entry) => typeOf(entry) === 'cc.PrefabInstance');
    expect(instances.length).toBeGreaterThan(10);
    expect(instances.filter((entry) => !isObjectId(textOf(entry?.['fileId'])))).toEqual([]);
  });

  test('name sub-assets by the hash of their names', () => {
    const images = metaFiles
      .map((file) => parseMeta(readCorpus(file)))
      .filter((meta) => meta?.importer === 'image');
    const subs = images.flatMap((meta) => (meta ? subMetasOf(meta) : []));
    expect(subs.length).toBeGreaterThan(50);
    for (const { id, name, uuid } of subs) {
      expect(subAssetId(name)).toBe(id);
      expect(uuid.endsWith(`@${id}`)).toBe(true);
    }
  });

  test('refer to assets that are listed with their places', () => {
    const scene = tableFiles.find((file) =>
      file.endsWith('customsnake-3.8.6/assets/scenes/main.scene'),
    );
    const uses = assetUses(parseTable(readCorpus(scene ?? '')));
    const missing = uses.filter(({ uuid }) => uuid === '49c3e593-2e79-4556-b74b-05e0fc532619');
    expect(missing.map(({ expectedType }) => expectedType)).toContain('cc.TTFFont');
  });
});

describe.skipIf(!hasCorpus)(`instances of real files ${needsCorpus}`, () => {
  const tables = hasCorpus ? tablesByUuid() : new Map<string, Table>();
  const open = (ending: string): SceneView => {
    const file = tableFiles.find((name) => name.endsWith(ending)) ?? ending;
    return new SceneView(editTable(parseTable(readCorpus(file), file)), (uuid) => tables.get(uuid));
  };

  test('show what the scene overrides in them', () => {
    const view = open('xforge-3.8.3/assets/app-scene/main.scene');
    expect(view.problems).toEqual([]);
    const root = view.get('Canvas/AppInitLayer/AppInit');
    expect(root).toMatchObject({
      handle: '59H08KPE9KIrsVoKNgJyQL',
      inside: false,
      localId: ['7aBxAgUy9NRJNTrHNH6/6R'],
      asset: '19a93f71-0300-44b3-9bd9-efbc15271e7d',
    });
    const background = view.get('Canvas/AppInitLayer/AppInit/bg');
    expect(background.handle).toBe('59H08KPE9KIrsVoKNgJyQL0fJ7SovSVCVawCNYpB3WTW');
    expect(getValue(view, background.index, ['_layer'])).toBe(33554432);
    const transform = view
      .components(root.index)
      .find(({ index }) => typeOf(view.at(index)) === 'cc.UITransform');
    expect(getValue(view, transform?.index ?? -1, ['_contentSize', 'width'])).toBe(750);
    const overrides = overridesOf(view, root.index);
    expect(overrides).toHaveLength(8);
    expect(overrides.filter(({ reserved }) => reserved)).toHaveLength(4);
    expect(overrides.every(({ target }) => target !== undefined)).toBe(true);
  });

  test('are found again by their handles and paths, every node and component of every file', () => {
    const lost = tableFiles.flatMap((file) => {
      const view = open(file);
      return [...view.items()].filter(
        (item) =>
          view.find(item.handle) !== item ||
          (item.kind === 'node' && view.find(view.path(item.index)) !== item),
      );
    });
    expect(lost).toEqual([]);
  });

  test('are reached by references of the scene, also through an instance within an instance', () => {
    const view = open('airplane-3.3/assets/scene/airplane.scene');
    expect(view.problems).toEqual([]);
    const plane = view.get('plane01');
    const players = [...view.items()]
      .map(({ index }) => getValue(view, index, ['playerPlane']))
      .filter((value) => value !== undefined);
    // The node itself is in the scene; a component on it is not.
    const component = view.target(plane.index, ['8aOLihMz9JALC74J72t8lW']);
    expect(players).toEqual([{ __id__: plane.index }, { __id__: component?.index }]);
    const flame = view.target(plane.index, ['baRHviKr5MtoZkZffy8eIh', '9duOTpfzxDSLwWEmeLIP1o']);
    expect(typeOf(view.at(flame?.index ?? -1))).toBe('cc.ParticleSystem');
    expect(getValue(view, flame?.index ?? -1, ['_trailModule', '_particleSystem'])).toEqual({
      __id__: flame?.index,
    });
  });

  test('say which prefabs are missing: those that are made of models', () => {
    const view = open('plane01/plane01.prefab');
    expect(view.problems.map(({ code }) => code)).toEqual(['prefabAssetMissing']);
    expect(view.get('body').asset).toBe('71d0b0a7-6303-4317-986a-2ba0045e0560@c13c3');
  });

  test('change in the scene alone, by one override, when something in them is set', () => {
    const view = open('xforge-3.8.3/assets/app-scene/main.scene');
    const before = view.table.objects.length;
    const logo = view.get('Canvas/AppInitLayer/AppInit/logo');
    const [change] = setValue(view, logo.index, { path: ['_active'], value: false });
    expect(change).toEqual({
      type: 'update',
      target: logo.handle,
      field: '_active',
      from: true,
      to: false,
    });
    expect(getValue(view, logo.index, ['_active'])).toBe(false);
    expect(view.table.objects.length).toBe(before + 2);
    const again = editTable(parseTable(printTable(view.table)));
    expect(again.arrangement().canonical).toBe(true);
    const fresh = new SceneView(again, (uuid) => tables.get(uuid));
    expect(getValue(fresh, fresh.get(logo.handle).index, ['_active'])).toBe(false);
    setValue(fresh, fresh.get(logo.handle).index, { path: ['_active'], value: true });
    expect(fresh.table.objects.length).toBe(again.objects.length);
  });
});
