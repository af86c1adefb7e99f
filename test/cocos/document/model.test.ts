import {
  append,
  checkTable,
  CocosError,
  compressUuid,
  createTable,
  editTable,
  expandId,
  isObjectId,
  isScriptType,
  listIn,
  newObjectId,
  newUuid,
  ownAt,
  parseMeta,
  parseTable,
  parseText,
  printMeta,
  print,
  printTable,
  readBack,
  printText,
  ref,
  replaceAsset,
  scriptTypeOf,
  setField,
  subAssetId,
  subMetasOf,
  uuidsInText,
} from '@mcp-kit/cocos/document';
import type { Entry, JsonObject, OwnEntry } from '@mcp-kit/cocos/document';
import { describe, expect, test } from 'vitest';
import { emptyScene, node } from '../../support/cocos/sample.ts';

describe('ids', () => {
  const uuid = 'fc991dd7-0033-4b80-9d41-c8a86a702e59';

  test('are compressed as the editor does, to 22 characters for objects and 23 for scripts', () => {
    expect(compressUuid(uuid)).toBe('fcmR3XADNLgJ1ByKhqcC5Z');
    expect(scriptTypeOf(uuid)).toBe('fc9913XADNLgJ1ByKhqcC5Z');
    expect(expandId('fcmR3XADNLgJ1ByKhqcC5Z')).toBe(uuid);
    expect(expandId('fc9913XADNLgJ1ByKhqcC5Z')).toBe(uuid);
  });

  test('come back from their compressed forms', () => {
    for (let round = 0; round < 500; round += 1) {
      const one = newUuid();
      expect(expandId(compressUuid(one))).toBe(one);
      expect(expandId(scriptTypeOf(one))).toBe(one);
      expect(isObjectId(newObjectId())).toBe(true);
      expect(isScriptType(scriptTypeOf(one))).toBe(true);
    }
  });

  test('of sub-assets are of the hash of their names', () => {
    const names = ['texture', 'spriteFrame', 'normalMap', 'textureCube'];
    expect(names.map(subAssetId)).toEqual(['6c48a', 'f9941', '3c318', 'b47c0']);
  });

  test('that are none are refused', () => {
    expect(() => compressUuid('FC991DD7-0033-4b80-9d41-c8a86a702e59')).toThrow(/is no uuid/);
    expect(expandId('cc.Sprite')).toBeUndefined();
  });
});

describe('text', () => {
  const value = { a: [1, { b: 'ä\n' }], c: {}, d: [] };
  const written = JSON.stringify(value, null, 2);

  test.each([
    ['as the editor writes scenes', written],
    ['with a final newline', `${written}\n`],
    ['with lines that end in CR LF', `${written.replaceAll('\n', '\r\n')}\r\n`],
    ['with a byte order mark', `\uFEFF${written}`],
    ['on one line', JSON.stringify(value)],
    ['on one line with a final newline', `${JSON.stringify(value)}\n`],
    ['with tabs', JSON.stringify(value, null, '\t')],
    ['with four spaces', JSON.stringify(value, null, 4)],
  ])('keeps its style %s, also when a value changes', (_, text) => {
    const parsed = parseText(text);
    expect(printText(parsed.value, parsed.style)).toBe(text);
    const changed = printText({ ...(parsed.value as JsonObject), c: { x: 1 } }, parsed.style);
    expect(parseText(changed).value).toEqual({ ...value, c: { x: 1 } });
    expect(changed.includes('\r\n')).toBe(text.includes('\r\n'));
    expect(changed.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
    expect(changed.endsWith('\n')).toBe(text.endsWith('\n'));
  });

  test.each([
    ['numbers', '{\n  "a": 1.0,\n  "b": 1e3\n}'],
    ['escapes', '{\n  "a": "\\u0041\\/"\n}'],
    ['spaces', '{ "a" : 1 }'],
    ['the order of numeric names', '{\n  "2": 1,\n  "1": 2\n}'],
    ['names that come twice', '{\n  "a": 1,\n  "a": 2\n}'],
    ['mixed ends of lines', '{\r\n  "a": 1,\n  "b": 2\r\n}'],
  ])('that nobody changed comes back as it was, whatever its %s', (_, text) => {
    const { value: parsed, style } = parseText(text);
    expect(printText(parsed, style)).toBe(text);
  });

  test('that is large comes back as it was, and with the change that was made', () => {
    const entries = Array.from({ length: 20_000 }, (_, index) => ({ index, name: `n${index}` }));
    const regular = JSON.stringify(entries, null, 2);
    const odd = regular.replace('"index": 777,', '"index": 777.0,');
    for (const text of [regular, odd]) {
      const { value: parsed, style } = parseText(text);
      expect(printText(parsed, style) === text).toBe(true);
      (parsed as JsonObject[])[15_000] = { index: -1 };
      const expected = [...entries] as unknown[];
      expected[15_000] = { index: -1 };
      expect(printText(parsed, style) === JSON.stringify(expected, null, 2)).toBe(true);
    }
  });

  test('that is no JSON says where', () => {
    expect(() => parseText('{"a": }')).toThrow(/This is not JSON/);
  });
});

describe('metas', () => {
  const value = {
    ver: '1.0.27',
    importer: 'image',
    imported: true,
    uuid: '0d9353c4-6fb9-49bb-bc62-77f1750078c2',
    files: ['.json', '.png'],
    subMetas: {
      '6c48a': {
        importer: 'texture',
        uuid: '0d9353c4-6fb9-49bb-bc62-77f1750078c2@6c48a',
        name: 'texture',
        subMetas: { abcde: { importer: 'deep', name: 'deep', subMetas: {} } },
      },
    },
    userData: {},
  };

  test('tell their sub-assets of all depths', () => {
    const meta = parseMeta(`${JSON.stringify(value, null, 2)}\n`);
    expect(meta).toMatchObject({ uuid: value.uuid, importer: 'image', ver: '1.0.27' });
    expect(meta && subMetasOf(meta).map(({ uuid }) => uuid)).toEqual([
      `${value.uuid}@6c48a`,
      `${value.uuid}@6c48a@abcde`,
    ]);
  });

  test('change in one line', () => {
    const text = `${JSON.stringify(value, null, 2)}\n`;
    const meta = parseMeta(text);
    if (!meta) throw new Error('no meta');
    const later = { ...meta, value: { ...meta.value, ver: '1.0.28' } };
    expect(printMeta(later)).toBe(text.replace('1.0.27', '1.0.28'));
  });

  test('are not what only has their name', () => {
    expect(parseMeta('{"isBundle": true}')).toBeUndefined();
    expect(parseMeta('[]')).toBeUndefined();
  });
});

describe('tables', () => {
  test('are only scenes and prefabs', () => {
    for (const text of ['{}', '[]', '[1]', '[{"__type__": "cc.AnimationClip"}]']) {
      expect(() => parseTable(text)).toThrow(CocosError);
    }
    expect(() => parseTable('[{"__type__":"cc.SceneAsset","scene":{"__id__":7}}]')).toThrow(
      /neither a scene nor a prefab/,
    );
  });

  test('are printed in the order in which objects are first referred to, without what nothing refers to', () => {
    const scene = emptyScene();
    const last = append(scene, { ...node('A'), _parent: ref(1) });
    append(scene, { ...node('unreachable'), _parent: ref(1) });
    listIn(ownAt(scene, 1), '_children').push(ref(last));
    const again = parseTable(printTable(scene));
    expect(again.arrangement().canonical).toBe(true);
    expect(again.objects.map((entry) => entry?.['_name'] ?? entry?.['__type__'])).toEqual([
      'sample',
      'sample',
      'A',
      'cc.SceneGlobals',
    ]);
    expect(scene.objects).toHaveLength(5);
  });

  test('have no reference to nothing once objects have other places, now or after the next write', () => {
    const lost = { ...node('Lost'), _parent: ref(1), target: ref(9) };
    const scene = emptyScene();
    listIn(ownAt(scene, 1), '_children').push(
      ref(append(scene, { ...node('A'), _parent: ref(1) })),
    );
    const [head, root, a, globals] = parseTable(printTable(scene)).objects;
    const text = JSON.stringify(
      [head, { ...root, _children: [ref(2), ref(3)], _globals: ref(4) }, a, lost, globals],
      null,
      2,
    );
    const table = editTable(parseTable(text));
    ownAt(table, 3)['_name'] = 'Found';
    // With nothing else changed it stays as it was.
    expect(printTable(table)).toContain('"__id__": 9');
    const added = append(table, { ...node('B'), _parent: ref(1) });
    listIn(ownAt(table, 1), '_children').push(ref(added));
    const printed = print(table);
    if (printed === undefined) throw new Error('nothing changed');
    const written = readBack(printed, 'the file');
    const next = editTable(written);
    const index = next.objects.findIndex((entry) => entry?.['_name'] === 'Found');
    ownAt(next, index)['_name'] = 'Again';
    expect(printTable(next)).not.toContain('"__id__": 9');
    expect(next.objects[index]).toMatchObject({ target: null });
  });

  test('in another order keep it: what is new comes last, what was removed goes, what nothing refers to stays', () => {
    const [head, scene, globals] = emptyScene().objects;
    const stray = { __type__: 'cc.Stray' };
    const child = { ...node('A'), _parent: ref(1) };
    const text = JSON.stringify(
      [head, { ...scene, _children: [ref(4)], _globals: ref(3) }, stray, globals, child],
      null,
      2,
    );
    const table = editTable(parseTable(text));
    expect(table.arrangement().canonical).toBe(false);
    expect(printTable(table)).toBe(text);
    const added = append(table, { ...node('B'), _parent: ref(1) });
    ownAt(table, 1)['_children'] = [ref(added)];
    const names = parseTable(printTable(table)).objects.map(
      (one) => one?.['_name'] ?? one?.['__type__'],
    );
    expect(names).toEqual(['sample', 'sample', 'cc.Stray', 'cc.SceneGlobals', 'B']);
    expect(checkTable(parseTable(printTable(table)))).toEqual([]);
  });

  test('lose references to nothing rather than let them name something new', () => {
    const scene = emptyScene();
    Object.assign(ownAt(scene, 2), { wrong: ref(9), right: ref(1) });
    expect(checkTable(scene)).toEqual(['Object 2 refers to object 9, which does not exist']);
    const broken = editTable(parseTable(JSON.stringify(scene.objects, null, 2)));
    const child = append(broken, { ...node('A'), _parent: ref(1) });
    listIn(ownAt(broken, 1), '_children').push(ref(child));
    const again = parseTable(printTable(broken));
    expect(again.objects[3]).toMatchObject({ wrong: null, right: ref(1) });
  });

  test('keep the bytes of what did not change, also where we would write them otherwise', () => {
    const scene = emptyScene();
    const [first, second] = ['A', 'B'].map((name) =>
      append(scene, { ...node(name), _parent: ref(1), text: 'höher', size: 1000 }),
    );
    const children = [first, second].map((index) => ref(index ?? 0));
    listIn(ownAt(scene, 1), '_children').push(...children);
    const text = printTable(scene).replaceAll('1000', '1e3').replace('höher', 'h\\u00f6her');
    const parsed = parseTable(text);
    const table = editTable(parsed);
    expect(printTable(table)).toBe(text);
    ownAt(table, 3)['text'] = 'tiefer';
    expect(printTable(table)).toBe(
      text.replace(/"höher",\n    "size": 1e3/, '"tiefer",\n    "size": 1000'),
    );
    ownAt(table, 3)['text'] = 'höher';
    expect(printTable(table)).toBe(text);
    // What comes in between has other numbers after it, and nothing else.
    const added = append(table, { ...node('C'), _parent: ref(1) });
    listIn(ownAt(table, 1), '_children').unshift(ref(added));
    const moved = printTable(table);
    expect(moved.match(/1e3/g)).toHaveLength(2);
    expect(moved).toContain('h\\u00f6her');
    const again = parseTable(moved);
    expect([again.arrangement().canonical, checkTable(again)]).toEqual([true, []]);
    expect(printTable(parsed)).toBe(text);
  });

  test('that others look at cannot be edited', () => {
    const table = parseTable(printTable(emptyScene()));
    expect(() => ownAt(table, 1)).toThrow('not being edited');
    expect(() => append(table, node('A'))).toThrow('not being edited');
  });

  test('can be as deep as they like', () => {
    const scene = emptyScene();
    for (let depth = 0; depth < 20_000; depth += 1) {
      const parent = depth === 0 ? 1 : scene.objects.length - 1;
      const index = append(scene, { ...node(`n${depth}`), _parent: ref(parent) });
      listIn(ownAt(scene, parent), '_children').push(ref(index));
    }
    const again = parseTable(printTable(scene));
    expect(again.arrangement().canonical).toBe(true);
    expect(checkTable(again)).toEqual([]);
  });

  test('tell what does not hang together', () => {
    const scene = emptyScene();
    append(scene, node('A'));
    listIn(ownAt(scene, 1), '_children').push(ref(3), ref(3), ref(2));
    expect(checkTable(scene)).toEqual([
      'Object 1 has object 3 (cc.Node), which says otherwise',
      'Object 1 has object 3 (cc.Node), which says otherwise',
      'Object 3 is in two places',
      'Object 1 has object 2 (cc.SceneGlobals), which says otherwise',
      'Object 2 (cc.SceneGlobals) is in the place of a node',
    ]);
  });
});

describe('fields', () => {
  test('that are new come where their class has them', () => {
    const old: OwnEntry = {
      __type__: 'cc.Node',
      _name: 'a',
      _parent: null,
      strange: 1,
      _layer: 2,
      _id: '',
    };
    setField(old, { key: '_active', value: true });
    setField(old, { key: '_mobility', value: 0 });
    setField(old, { key: 'mine', value: 5 });
    setField(old, { key: '_layer', value: 3 });
    expect(JSON.stringify(old)).toBe(
      '{"__type__":"cc.Node","_name":"a","_parent":null,"strange":1,"_active":true,"_mobility":0,"_layer":3,"mine":5,"_id":""}',
    );
  });

  test('cannot reach the prototype', () => {
    expect(() => setField({}, { key: '__proto__', value: {} })).toThrow(CocosError);
    const table = createTable(JSON.parse(JSON.stringify(emptyScene().objects)) as Entry[]);
    const text = printTable(table).replace(
      '"_objFlags"',
      '"__proto__": {"polluted": 1},\n"_objFlags"',
    );
    const again = editTable(parseTable(text));
    append(again, { __type__: 'cc.Unused' });
    expect(printTable(again)).toContain('__proto__');
    expect(({} as JsonObject)['polluted']).toBeUndefined();
  });
});

describe('uses of assets', () => {
  test('are replaced, those of that very sub-asset only', () => {
    const scene = emptyScene();
    const [old, other] = ['11111111-1111-4111-8111-111111111111', 'x'];
    Object.assign(ownAt(scene, 2), {
      a: { __uuid__: old },
      list: [{ __uuid__: `${old}@f9941`, __expectedType__: 'cc.SpriteFrame' }],
    });
    expect(replaceAsset(scene, `${old}@f9941`, other)).toEqual([
      { from: 2, path: ['list', '0'], uuid: `${old}@f9941`, expectedType: 'cc.SpriteFrame' },
    ]);
    expect(scene.objects[2]).toMatchObject({ a: { __uuid__: old }, list: [{ __uuid__: other }] });
  });

  test('are found in any text, scripts included', () => {
    const text = `{"__type__": "fc9913XADNLgJ1ByKhqcC5Z", "a": "0d9353c4-6fb9-49bb-bc62-77f1750078c2@6c48a"}`;
    expect([...uuidsInText(text)].sort()).toEqual([
      '0d9353c4-6fb9-49bb-bc62-77f1750078c2@6c48a',
      'fc991dd7-0033-4b80-9d41-c8a86a702e59',
    ]);
  });
});
