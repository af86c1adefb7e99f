import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import {
  checkTable,
  type Entry,
  isObject,
  type Json,
  parseTable,
  printTable,
  refIndex,
  type Table,
  typeOf,
} from '#cocos/document';
import { describe, expect, it } from 'vitest';
import {
  builtInAssets,
  builtInComponents,
  builtInSprite,
  createSceneTable,
  type FieldType,
  findBuiltInAsset,
  findField,
  fragmentOf,
  initialFields,
  layers,
  learnComponents,
  requireComponent,
  requireField,
  type NodeRecipe,
  type UiElement,
  uiRecipes,
} from './index.ts';

const corpus = path.resolve(import.meta.dirname, '../../../../../shared/cocos-corpus');
const isHere = existsSync(corpus);
const needs = '(needs ../shared/cocos-corpus)';

const head = ['__type__', '_name', '_objFlags', '__editorExtras__', 'node', '_enabled', '__prefab'];

interface Defaults {
  readonly components: Record<
    string,
    {
      readonly props: Record<string, Json>;
      readonly requires: readonly string[];
      readonly single?: boolean;
      readonly renderer?: boolean;
    }
  >;
  readonly layers: Record<string, number>;
}

function* corpusTables(): Generator<{ file: string; table: Table }> {
  for (const name of readdirSync(corpus, { recursive: true, encoding: 'utf8' }).sort()) {
    if (!/\.(scene|prefab)$/.test(name)) continue;
    yield { file: name, table: parseTable(readFileSync(path.join(corpus, name), 'utf8'), name) };
  }
}

describe('The component table', () => {
  it('knows more than 25 classes, each field once', () => {
    expect(builtInComponents.size).toBeGreaterThan(25);
    for (const { type, fields } of builtInComponents.values()) {
      const stored = new Set(fields.map((field) => field.stored)).size;
      const named = new Set(fields.map((field) => field.name)).size;
      expect({ type, stored, named }).toEqual({
        type,
        stored: fields.length,
        named: fields.length,
      });
    }
  });

  it('requires only classes it knows', () => {
    for (const { requires, brings } of builtInComponents.values()) {
      for (const type of [...requires, ...brings]) expect(builtInComponents.has(type)).toBe(true);
    }
  });

  it('finds a class without its prefix, and names near ones when there is none', () => {
    expect(requireComponent(builtInComponents, 'sprite').type).toBe('cc.Sprite');
    expect(() => requireComponent(builtInComponents, 'cc.Spite')).toThrow(
      expect.objectContaining({
        code: 'E_INVALID_ARGUMENT',
        suggestion: expect.stringContaining('cc.Sprite'),
      }),
    );
  });

  it('finds a field by the name of the editor and by the stored one', () => {
    const label = requireComponent(builtInComponents, 'cc.Label');
    expect(findField(label.fields, 'string')?.stored).toBe('_string');
    expect(findField(label.fields, '_string')?.name).toBe('string');
    expect(findField(label.fields, 'useSystemFont')?.stored).toBe('_isSystemFontUsed');
    expect(() => requireField(label, 'text')).toThrow(/cc\.Label has no property "text"/);
  });

  it.skipIf(!isHere)(`has the order, the values and the rules of the engine ${needs}`, () => {
    const text = readFileSync(path.join(corpus, 'component-defaults-3.8.json'), 'utf8');
    const defaults = JSON.parse(text) as Defaults;
    for (const [type, expected] of Object.entries(defaults.components)) {
      const spec = requireComponent(builtInComponents, type);
      expect({
        type,
        fields: Object.entries(initialFields(spec)),
        requires: [...spec.requires, ...spec.brings],
        renderer: spec.renderer,
        single: spec.single,
      }).toEqual({
        type,
        fields: Object.entries(expected.props),
        requires: expected.requires,
        renderer: expected.renderer ?? false,
        single: expected.single ?? expected.renderer ?? false,
      });
    }
    expect(layers).toEqual(defaults.layers);
  });

  it.skipIf(!isHere)(`has the field order of every 3.8 component of real files ${needs}`, () => {
    let compared = 0;
    for (const { file, table } of corpusTables()) {
      for (const entry of table.objects) {
        const spec = builtInComponents.get(typeOf(entry));
        const isNew =
          Object.keys(entry ?? {})
            .slice(0, head.length)
            .join() === head.join();
        if (spec === undefined || !isNew) continue;
        const known = new Set(spec.fields.map(({ stored }) => stored));
        const keys = Object.keys(entry ?? {}).slice(head.length, -1);
        const own = keys.filter((key) => known.has(key));
        const order = spec.fields
          .map(({ stored }) => stored)
          .filter((stored) => own.includes(stored));
        expect({ file, type: spec.type, own }).toEqual({ file, type: spec.type, own: order });
        compared++;
      }
    }
    expect(compared).toBeGreaterThan(150);
  });

  it.skipIf(!isHere)(`types fields as real values are ${needs}`, () => {
    const faults: string[] = [];
    for (const { file, table } of corpusTables()) {
      for (const entry of table.objects) {
        for (const { stored, type } of builtInComponents.get(typeOf(entry))?.fields ?? []) {
          if (!fits(type, entry?.[stored] ?? null, table)) {
            faults.push(`${file} ${typeOf(entry)}.${stored} = ${JSON.stringify(entry?.[stored])}`);
          }
        }
      }
    }
    expect(faults).toEqual([]);
  });
});

function fits(type: FieldType, value: Json, { objects }: Table): boolean {
  if (value === null) return true;
  const target = objects[refIndex(value) ?? -1];
  switch (type.kind) {
    case 'value':
      return typeOf(value) === type.type;
    case 'asset':
      return isObject(value) && typeof value['__uuid__'] === 'string';
    case 'node':
      return typeOf(target) === 'cc.Node';
    case 'component':
      return target?.['node'] !== undefined;
    case 'array':
      return Array.isArray(value);
    case 'enum':
      return type.flags === true || Object.values(type.names).some((known) => known === value);
    case 'integer':
      return typeof value === 'number';
    default:
      return typeof value === type.kind;
  }
}

describe('Learning', () => {
  const owner = { __type__: 'cc.Node', _name: 'N' };
  const motor = (fields: Record<string, Json>): Entry => ({
    __type__: 'my.Motor',
    _name: '',
    node: { __id__: 0 },
    _enabled: true,
    ...fields,
    _id: '',
  });

  it('takes the widest layout, the usual values, and the types of what it sees', () => {
    const file = [
      owner,
      motor({ _speed: 3 }),
      motor({
        _speed: 3,
        _color: { __type__: 'cc.Color', r: 1, g: 2, b: 3, a: 4 },
        target: { __id__: 0 },
      }),
      motor({ _speed: 5, parts: [], _clip: { __uuid__: 'u', __expectedType__: 'cc.AudioClip' } }),
    ];
    const [spec] = learnComponents([file], () => false);
    expect(spec?.fields).toEqual([
      { stored: '_speed', name: 'speed', type: { kind: 'number' }, initial: 3 },
      {
        stored: '_color',
        name: 'color',
        type: { kind: 'value', type: 'cc.Color' },
        initial: { __type__: 'cc.Color', r: 1, g: 2, b: 3, a: 4 },
      },
      { stored: 'target', name: 'target', type: { kind: 'node' }, initial: null },
    ]);
  });

  it.skipIf(!isHere)(
    `describes the classes that real projects use besides the known ones ${needs}`,
    () => {
      const files = [...corpusTables()].map(({ table }) => table.objects);
      const specs = learnComponents(files, (type) => builtInComponents.has(type));
      const meshes = specs.find(({ type }) => type === 'cc.MeshRenderer');
      expect(meshes?.fields.map(({ stored }) => stored)).toContain('_shadowCastingMode');
      expect(meshes?.fields.find(({ stored }) => stored === '_mesh')?.type.kind).toBe('asset');
    },
  );
});

describe('Assets of the engine', () => {
  it('are found by uuid and by URL', () => {
    const sprite = builtInSprite('default_btn_normal');
    expect(sprite).toEqual({
      __uuid__: '20835ba4-6145-4fbc-a58a-051ce700aa3e@f9941',
      __expectedType__: 'cc.SpriteFrame',
    });
    expect(findBuiltInAsset(sprite.__uuid__)?.url).toBe(
      'db://internal/default_ui/default_btn_normal.png/spriteFrame',
    );
    expect(findBuiltInAsset('db://internal/nothing.png')).toBeUndefined();
  });

  it.skipIf(!isHere)(`are what the metas of the engine say ${needs}`, () => {
    const folder = path.join(corpus, 'engine-internal-db-3.8.5');
    const real = new Map<string, string>();
    interface Meta {
      readonly uuid: string;
      readonly importer: string;
      readonly name?: string;
      readonly subMetas?: Record<string, Meta>;
    }
    const add = (meta: Meta, id: string, url: string): void => {
      real.set(id, `${url} ${meta.importer}`);
      for (const [key, sub] of Object.entries(meta.subMetas ?? {})) {
        add(sub, `${id}@${key}`, `${url}/${sub.name}`);
      }
    };
    for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.meta')) continue;
      const meta = JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as Meta;
      const url = file.slice(0, -'.meta'.length).replaceAll(path.sep, '/');
      if (meta.uuid) add(meta, meta.uuid, `db://internal/${url}`);
    }
    for (const { uuid, url, importer } of builtInAssets().values()) {
      expect(`${url} ${importer}`).toBe(real.get(uuid));
    }
  });
});

describe('Recipes', () => {
  it('make whole elements of known fields, in order, with one root and every link set', () => {
    for (const [name, recipeOf] of Object.entries(uiRecipes)) {
      const recipe = recipeOf();
      const { objects } = fragmentOf(recipe, layers.UI_2D);
      const nodes = objects.filter((entry) => typeOf(entry) === 'cc.Node');
      const parts = objects.filter((entry) => typeOf(entry) !== 'cc.Node');
      expect(nodes.filter((entry) => entry['_parent'] === null)).toHaveLength(1);
      expect(nodes.every((entry) => entry['_layer'] === layers.UI_2D)).toBe(true);
      for (const entry of parts) {
        const stored = builtInComponents.get(typeOf(entry))?.fields.map((field) => field.stored);
        const keys = Object.keys(entry ?? {}).slice(head.length, -1);
        expect({ name, keys }).toEqual({ name, keys: stored });
      }
      const wanted = JSON.stringify(recipe).match(/"link":/g)?.length ?? 0;
      const links = parts.flatMap((entry) =>
        Object.entries(entry).filter(
          ([key, value]) => key !== 'node' && refIndex(value) !== undefined,
        ),
      );
      expect({ name, links: links.length }).toEqual({ name, links: wanted });
    }
  });

  it('fit all their parts to the size that is given', () => {
    const sizesIn = ({ components, children = [] }: NodeRecipe): string[] => {
      const { _contentSize: size } = components[0]?.values ?? {};
      const { width, height } = Object(size) as Record<string, number>;
      return [`${width} x ${height}`, ...children.flatMap(sizesIn)];
    };
    const sizesOf = (element: UiElement): string[] =>
      sizesIn(uiRecipes[element]({ width: 420, height: 500 }));
    for (const element of Object.keys(uiRecipes) as UiElement[]) {
      expect({ element, sizes: sizesOf(element)[0] }).toEqual({ element, sizes: '420 x 500' });
    }
    expect(sizesOf('Button')).toEqual(['420 x 500', '420 x 500']);
    expect(sizesOf('EditBox')).toEqual(['420 x 500', '418 x 500', '418 x 500']);
    expect(sizesOf('ProgressBar')).toEqual(['420 x 500', '210 x 500']);
    expect(sizesOf('Toggle')).toEqual(['420 x 500', '420 x 500']);
    const [window, , , view, content] = sizesOf('ScrollView');
    expect([window, view, content]).toEqual(['420 x 500', '420 x 500', '400 x 500']);
    expect(sizesOf('PageView').slice(1, 4)).toEqual(['420 x 375', '1260 x 375', '420 x 375']);
  });

  it('use sprites of the engine that exist', () => {
    const text = JSON.stringify(Object.values(uiRecipes).map((recipeOf) => recipeOf()));
    expect(text).not.toContain('"__uuid__":""');
  });
});

describe('A new scene', () => {
  const uuid = '0b8e3a2c-5f0c-4d0f-9a41-7be31f0e6a11';

  it('is sound, canonical, and has a Canvas that its camera sees', () => {
    const made = createSceneTable({ name: 'menu', uuid, resolution: { width: 750, height: 1334 } });
    const text = printTable(made);
    const table = parseTable(text, 'menu.scene');
    expect(checkTable(table)).toEqual([]);
    expect(table.arrangement().canonical).toBe(true);
    expect(table.objects.map(typeOf)).toEqual([
      'cc.SceneAsset',
      'cc.Scene',
      'cc.Node',
      'cc.Node',
      'cc.Camera',
      'cc.UITransform',
      'cc.Canvas',
      'cc.Widget',
      'cc.SceneGlobals',
      'cc.AmbientInfo',
      'cc.ShadowsInfo',
      'cc.SkyboxInfo',
      'cc.FogInfo',
      'cc.OctreeInfo',
      'cc.SkinInfo',
      'cc.LightProbeInfo',
      'cc.PostSettingsInfo',
    ]);
    expect(table.objects[1]).toMatchObject({ _name: 'menu', _id: uuid });
    expect(table.objects[6]?.['_cameraComponent']).toEqual({ __id__: 4 });
    expect(table.objects[4]).toMatchObject({ _visibility: 1_108_344_832, _orthoHeight: 667 });
  });

  it.skipIf(!isHere)(`has the scene and the settings that the editor writes ${needs}`, () => {
    const file = path.join(corpus, 'customsnake-3.8.6/assets/scenes/main.scene');
    const real = parseTable(readFileSync(file, 'utf8'), 'main.scene').objects;
    const made = createSceneTable({
      name: 'main',
      uuid,
      resolution: { width: 1, height: 1 },
    }).objects;
    const likeMade = made.map(
      (entry) => real.find((other) => typeOf(other) === typeOf(entry)) ?? {},
    );
    expect(made.map((entry) => Object.keys(entry ?? {}))).toEqual(
      likeMade.map((entry) => Object.keys(entry)),
    );
    const settings = (entries: Table['objects']): Table['objects'] =>
      entries.filter((entry) => typeOf(entry).endsWith('Info'));
    expect(settings(made)).toEqual(settings(likeMade));
  });
});
