import { describe, expect, test } from 'vitest';
import { loadScriptReader, ScriptCatalog, type ScriptProperty } from './index.ts';

const readScript = await loadScriptReader();

const uuid = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;

/** A component with these members. */
const component = (members: string, before = '') => `
import { _decorator, Component, Node, Sprite, SpriteFrame, Prefab, Label, sp, Vec2, Vec3, Color, Size, Quat, Rect,
  CCInteger, CCFloat, CCString, CCBoolean, Enum, EventHandler, v3, color, AnimationClip } from 'cc';
const { ccclass, property, type, integer, float, serializable, requireComponent } = _decorator;
${before}
@ccclass('Hero')
export class Hero extends Component {
  ${members}
}`;

function propertyOf(members: string, before?: string): ScriptProperty | undefined {
  const { classes, problem } = readScript(component(members, before));
  expect(problem).toBeUndefined();
  return classes.at(-1)?.properties[0];
}

/** The catalog of sources by path; the n-th has the uuid of the digit n. */
function catalogOf(sources: Readonly<Record<string, string>>): ScriptCatalog {
  const files = Object.entries(sources).map(([path, source], index) => {
    const facts = readScript(source);
    return { uuid: uuid(String(index)), path, facts: () => facts };
  });
  return new ScriptCatalog(files);
}

describe('The type of a property', () => {
  test.each([
    ['@property(Node) a: Node = null!;', { kind: 'node', name: 'cc.Node' }, false],
    ['@property({ type: Node }) a = null;', { kind: 'node', name: 'cc.Node' }, false],
    ['@property([Node]) a: Node[] = [];', { kind: 'node', name: 'cc.Node' }, true],
    [
      '@property({ type: [SpriteFrame] }) a: SpriteFrame[] = [];',
      { kind: 'asset', name: 'cc.SpriteFrame' },
      true,
    ],
    ['@property(Prefab) a: Prefab | null = null;', { kind: 'asset', name: 'cc.Prefab' }, false],
    [
      '@property({ type: Label, tooltip: "x" }) private a: Label | null = null;',
      { kind: 'component', name: 'cc.Label' },
      false,
    ],
    [
      '@property(sp.Skeleton) a: sp.Skeleton = null!;',
      { kind: 'component', name: 'sp.Skeleton' },
      false,
    ],
    [
      '@property(sp.SkeletonData) a: sp.SkeletonData = null!;',
      { kind: 'asset', name: 'sp.SkeletonData' },
      false,
    ],
    ['@property(CCInteger) a = 1;', { kind: 'integer' }, false],
    ['@property(CCFloat) a = 1;', { kind: 'number' }, false],
    ['@property([CCString]) a: string[] = [];', { kind: 'string' }, true],
    ['@property(CCBoolean) a = true;', { kind: 'boolean' }, false],
    ['@property a = 5;', { kind: 'number' }, false],
    ['@property a: string;', { kind: 'string' }, false],
    ['@property a = false;', { kind: 'boolean' }, false],
    ['@property a: Array<Sprite> = [];', { kind: 'component', name: 'cc.Sprite' }, true],
    ['@property a = new Vec3(1, 2, 3);', { kind: 'value', name: 'cc.Vec3' }, false],
    ['@property a: EventHandler[] = [];', { kind: 'class', name: 'cc.EventHandler' }, true],
    ['@type(Node) a = null;', { kind: 'node', name: 'cc.Node' }, false],
    ['@type([Node]) a = [];', { kind: 'node', name: 'cc.Node' }, true],
    ['@integer a = 1;', { kind: 'integer' }, false],
    ['@float a = 1;', { kind: 'number' }, false],
    ['@serializable a = "x";', { kind: 'string' }, false],
    ['@_decorator.property(Node) a = null;', { kind: 'node', name: 'cc.Node' }, false],
    ['@property({ type: () => Node }) a = null;', { kind: 'node', name: 'cc.Node' }, false],
    ['@property({ range: [0, 1] }) a = 0.5;', { kind: 'number' }, false],
    ['@property a;', { kind: 'unknown' }, false],
  ])('of %s', (members, type, array) => {
    expect(propertyOf(members)).toMatchObject({ name: 'a', type, array, serialized: true });
  });

  test('an enum is known with its numbers, declared or made, named or not', () => {
    const before = `enum Kind { A, B = 5, C, D = 1 << 3 } const Made = Enum({ X: -1, Y: -1, Z: 7, W: -1 });`;
    const declared = { kind: 'enum', name: 'Kind', values: { A: 0, B: 5, C: 6, D: 8 } };
    const made = { kind: 'enum', name: 'Made', values: { X: 0, Y: 1, Z: 7, W: 8 } };
    expect(propertyOf('@property({ type: Enum(Kind) }) a: Kind = Kind.C;', before)).toMatchObject({
      type: declared,
      default: 6,
    });
    expect(propertyOf('@property({ type: Kind }) a = Kind.B;', before)).toMatchObject({
      type: declared,
      default: 5,
    });
    expect(propertyOf('@property({ type: Made }) a = Made.Z;', before)).toMatchObject({
      type: made,
      default: 7,
    });
    expect(propertyOf('@property({ type: Enum({ P: 0, Q: 1 }) }) a = 1;')).toMatchObject({
      type: { kind: 'enum', values: { P: 0, Q: 1 } },
    });
  });
});

describe('The default of a property', () => {
  const vec3 = { __type__: 'cc.Vec3', x: 1, y: -2, z: 0 };
  test.each([
    ['a = -1.5', -1.5],
    ['a = 60 * 60 * 24', 86_400],
    ['a = "x" + "y"', 'xy'],
    ['a = `plain`', 'plain'],
    ['a = !true', false],
    ['a: Node = null!', null],
    ['a: Node', null],
    ['a: Node = undefined', null],
    ['a: number', 0],
    ['a: string', ''],
    ['a: boolean', false],
    ['a: Node[]', []],
    ['a = [1, 2]', [1, 2]],
    ['a = <number>(1 as unknown)', 1],
    ['a = new Vec3(1, -2)', vec3],
    ['a = v3(1, -2, 0)', vec3],
    ['a: Vec3', { __type__: 'cc.Vec3', x: 0, y: 0, z: 0 }],
    ['a = Vec2.ONE', { __type__: 'cc.Vec2', x: 1, y: 1 }],
    ['a = Color.WHITE.clone()', { __type__: 'cc.Color', r: 255, g: 255, b: 255, a: 255 }],
    ['a = new Color(1, 2, 3)', { __type__: 'cc.Color', r: 1, g: 2, b: 3, a: 255 }],
    ['a = color("#ff800040")', { __type__: 'cc.Color', r: 255, g: 128, b: 0, a: 64 }],
    ['a = new Size(3, 4)', { __type__: 'cc.Size', width: 3, height: 4 }],
    ['a = new Rect(1, 2, 3, 4)', { __type__: 'cc.Rect', x: 1, y: 2, width: 3, height: 4 }],
    ['a = new Quat()', { __type__: 'cc.Quat', x: 0, y: 0, z: 0, w: 1 }],
    ['a = LIMIT', 10],
  ])('of %s', (field, value) => {
    const property = propertyOf(`@property ${field};`, 'const LIMIT = 2 * 5;');
    expect(property).toMatchObject({ default: value, defaultKnown: true });
  });

  test('is the empty value, and said to be unknown, where only running it would tell', () => {
    expect(propertyOf('@property a: number = Math.random();')).toMatchObject({
      default: 0,
      defaultKnown: false,
    });
    expect(propertyOf('@property a: string[] = make();')).toMatchObject({
      default: [],
      defaultKnown: false,
    });
  });

  test('that names itself ends', () => {
    expect(propertyOf('@property a: number = X;', 'const X = Y; const Y = X;')).toMatchObject({
      defaultKnown: false,
    });
  });
});

describe('A class', () => {
  test('stores its fields, and not accessors, statics, plain fields, methods or what says so', () => {
    const source = component(`
      static instance: Hero = null!;
      private plain = 1;
      @property({ serializable: false }) hidden = 1;
      @property kept = 1;
      @property(Node) get view(): Node { return this.node; }
      set view(value: Node) {}
      @property set only(value: number) {}
      @property({ visible() { return true; } }) _shown = true;
      onLoad(): void {}
      @property static shared = 1;
    `);
    const { classes } = readScript(source);
    expect(classes[0]).toMatchObject({
      name: 'Hero',
      className: 'Hero',
      decorated: true,
      base: 'cc.Component',
    });
    expect(classes[0]?.properties.map(({ name, serialized }) => [name, serialized])).toEqual([
      ['hidden', false],
      ['kept', true],
      ['view', false],
      ['only', false],
      ['_shown', true],
    ]);
  });

  test('is known by the name it is given, under whatever name decorators go here', () => {
    const source = `
      import * as cc from 'cc';
      const { ccclass: klass, property: prop, requireComponent: needs } = cc._decorator;
      @klass('Space.Name') @needs([cc.Sprite, cc.Label]) export default class Thing extends cc.Component {
        @prop(cc.Node) a: cc.Node = null!;
      }
      @klass class Bare {}
    `;
    const { classes } = readScript(source);
    expect(classes).toMatchObject([
      {
        name: 'Thing',
        className: 'Space.Name',
        base: 'cc.Component',
        requires: ['cc.Sprite', 'cc.Label'],
      },
      { name: 'Bare', className: 'Bare', decorated: true },
    ]);
    expect(classes[0]?.properties[0]?.type).toEqual({ kind: 'node', name: 'cc.Node' });
  });

  test('is read whatever else TypeScript allows around it', () => {
    const source = component(
      `@property a = 1;
       private map: Map<string, Node> = new Map<string, Node>();
       declare later: number; readonly #secret?: string; [key: string]: unknown;
       async go<T extends Component>(this: Hero, x?: T, ...rest: number[]): Promise<T> { return <T>x!; }
       protected override update(dt: number): void {}`,
      `abstract class Base<T = unknown> { abstract run(): void; constructor(private readonly x: number) {} }
       declare global { interface Window { x: number } } namespace N { export const a = 1; }
       type Item<T> = T extends (infer U)[] ? U : never; export type { Item };
       function over(a: string): void; function over(a: number): void; function over(a: unknown) {}
       let u = { a: 1 } satisfies object;`,
    );
    const { classes, problem } = readScript(source);
    expect(problem).toBeUndefined();
    expect(classes.map(({ name }) => name)).toEqual(['Base', 'Hero']);
    expect(classes[1]?.properties.map(({ name }) => name)).toEqual(['a']);
  });

  test('that cannot be parsed is a problem with its place, and no failure', () => {
    const facts = readScript('class {{');
    expect(facts.classes).toEqual([]);
    expect(facts.problem).toMatch(/\(1:\d+\)/);
  });
});

describe('The scripts of a project', () => {
  const base = `import { _decorator, Component, Node } from 'cc'; const { ccclass, property } = _decorator;
    export enum Mode { Off, On }
    @ccclass('Base') export class Base extends Component { @property first = 1; @property(Node) second: Node = null!; }`;
  const hero = `import { _decorator } from 'cc'; import { Base as Root, Mode } from '../base/Base'; import { Part } from './Part';
    const { ccclass, property } = _decorator;
    @ccclass('Detail') export class Detail { @property size = 2; }
    @ccclass('Hero') export class Hero extends Root {
      @property third = 3; @property first = 10;
      @property({ type: Mode }) mode = Mode.On;
      @property(Detail) detail = new Detail();
      @property(Part) part: Part = null!;
    }
    @ccclass('Helper') export class Helper extends Root {}`;
  const part = `import { _decorator, Button } from 'cc'; const { ccclass } = _decorator;
    @ccclass export class Part extends Button {}`;
  const sources = {
    'assets/base/Base.ts': base,
    'assets/game/Hero.ts': hero,
    'assets/game/Part.ts': part,
  };

  test('a class has what it inherits, the fields of the base first', () => {
    const catalog = catalogOf(sources);
    const found = catalog.byUuid(uuid('1'));
    expect(found).toMatchObject({
      className: 'Hero',
      bases: ['Base', 'cc.Component'],
      isComponent: true,
    });
    expect(found?.properties.map(({ name }) => name)).toEqual([
      'first',
      'second',
      'third',
      'mode',
      'detail',
      'part',
    ]);
    expect(found?.properties[0]?.default).toBe(10);
  });

  test('what another file declares is known for what it is', () => {
    const catalog = catalogOf(sources);
    const types = catalog.byClass('Hero')?.properties.slice(3);
    expect(types).toMatchObject([
      { type: { kind: 'enum', name: 'Mode', values: { Off: 0, On: 1 } } },
      { type: { kind: 'class', name: 'Detail' }, default: null, creates: 'Detail' },
      { type: { kind: 'component', name: 'Part' } },
    ]);
  });

  test('the first component of a file is stored under its id, all other classes under their names', () => {
    const catalog = catalogOf(sources);
    const type = catalog.byUuid(uuid('1'))?.type ?? '';
    expect(type).toMatch(/^11111[0-9A-Za-z+/]{18}$/);
    expect(catalog.byType(type)?.className).toBe('Hero');
    expect(catalog.byType('Detail')).toMatchObject({ isComponent: false, type: 'Detail' });
    expect(catalog.byType('Helper')).toMatchObject({ isComponent: true, type: 'Helper' });
    expect(catalog.byType('Hero')).toBeUndefined();
    expect([...catalog.all()].map(({ className }) => className)).toEqual(['Base', 'Hero', 'Part']);
  });

  test('the classes of the engine are not those of scripts that are called as they are', () => {
    const catalog = catalogOf({
      'assets/Hero.ts': component(''),
      'assets/Component.ts': `import { _decorator } from 'cc';
        const { ccclass } = _decorator;
        @ccclass('Component') export class Component {}`,
    });
    expect(catalog.byClass('Hero')).toMatchObject({ isComponent: true, bases: ['cc.Component'] });
  });

  test('a script is read only when something is asked of it', () => {
    const read: string[] = [];
    const files = ['a', 'b'].map((name, index) => ({
      uuid: uuid(String(index)),
      path: `assets/${name}.ts`,
      facts: () => {
        read.push(name);
        return readScript(component(''));
      },
    }));
    const catalog = new ScriptCatalog(files);
    expect(read).toEqual([]);
    expect(catalog.byUuid(uuid('1'))).toMatchObject({ className: 'Hero', isComponent: true });
    expect(new Set(read)).toEqual(new Set(['b']));
  });

  test('a base that is not there leaves it open whether it is a component', () => {
    const catalog = catalogOf({
      'assets/A.ts': `@ccclass('A') class A extends Missing { @property a = 1; }`,
    });
    const found = catalog.byUuid(uuid('0'));
    expect(found).toMatchObject({ isComponent: undefined, bases: ['Missing'] });
    expect(found?.problem).toContain('Missing');
    expect(found?.properties).toHaveLength(1);
  });

  test('classes that extend each other, or share a name, do not confuse it', () => {
    const catalog = catalogOf({
      'assets/A.ts': `import { B } from './B'; @ccclass('A') export class A extends B {}`,
      'assets/B.ts': `import { A } from './A'; @ccclass('B') export class B extends A {}`,
      'assets/C.ts': `@ccclass('A') export class C {}`,
    });
    expect(catalog.byUuid(uuid('0'))?.isComponent).toBeUndefined();
    expect(catalog.byClass('A')).toBeUndefined();
  });

  test('a source that can be read in ever more ways is given up, also a short one', () => {
    // Each pair of brackets doubles what the parser tries: 30 would take it an hour.
    const { problem } = readScript('<a>('.repeat(30));
    expect(problem).toBe('more than 50000 tokens');
    expect(readScript('a;'.repeat(1_000_000))).toMatchObject({ problem });
    const methods = Array.from({ length: 900 }, (_, at) => `m${at}(a: number) { this.b(a, 1); }`);
    const { classes } = readScript(component(methods.join('\n')));
    expect(classes[0]?.methods).toHaveLength(900);
  });

  test('a file without a class can be described, with the reason', () => {
    const catalog = catalogOf({
      'assets/util.ts': 'export const a = 1;',
      'assets/bad.ts': '{{',
    });
    expect(catalog.byUuid(uuid('0'))).toMatchObject({
      className: 'util',
      isComponent: false,
      problem: 'the script has no class',
    });
    expect(catalog.byUuid(uuid('1'))?.isComponent).toBeUndefined();
  });
});
