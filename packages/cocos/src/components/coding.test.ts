import { CocosError, type Json } from '#cocos/document';
import { describe, expect, it } from 'vitest';
import {
  builtInComponents,
  decodeValue,
  encodeValue,
  type Field,
  requireComponent,
  requireField,
} from './index.ts';

const context = {
  asset: (reference: string, type: string) => ({ uuid: `uuid of ${reference}`, type }),
  object: (reference: string) => {
    if (!/^\d+$/.test(reference)) throw new CocosError('E_NOT_FOUND', `No ${reference}.`);
    return Number(reference);
  },
  classId: (name: string) => `id of ${name}`,
};

const reading = {
  asset: (uuid: string) => uuid.replace('uuid of ', ''),
  object: (id: number) => `${id}`,
};

function field(component: string, name: string): Field {
  return requireField(requireComponent(builtInComponents, component), name);
}

function encode(of: string, value: Json, current?: Json): Json {
  const [component = '', name = ''] = of.split(/\.(?=\w+$)/);
  const { type } = field(component, name);
  return encodeValue({ label: `${component}.${name}`, type, current }, value, context).value;
}

describe('Values for a file', () => {
  it('are checked and wrapped by the type of the field', () => {
    expect(encode('cc.Label.string', 'Play')).toBe('Play');
    expect(encode('cc.Label.horizontalAlign', 'right')).toBe(2);
    expect(encode('cc.Sprite.type', 'SLICED')).toBe(1);
    expect(encode('cc.Widget.alignFlags', ['TOP', 'LEFT'])).toBe(9);
    expect(encode('cc.Widget.alignFlags', 45)).toBe(45);
    expect(encode('cc.Sprite.color', '#ff8000')).toEqual(color(255, 128, 0, 255));
    expect(encode('cc.Sprite.color', '#f80')).toEqual(color(255, 136, 0, 255));
    expect(encode('cc.Sprite.color', '#ff800080')).toEqual(color(255, 128, 0, 128));
    expect(encode('cc.Sprite.color', { r: 1, g: 2, b: 3 })).toEqual(color(1, 2, 3, 255));
    expect(encode('cc.UITransform.contentSize', { width: 5 }, size(1, 2))).toEqual(size(5, 2));
    expect(encode('cc.Sprite.spriteFrame', 'db://assets/a.png')).toEqual({
      __uuid__: 'uuid of db://assets/a.png',
      __expectedType__: 'cc.SpriteFrame',
    });
    expect(encode('cc.Button.target', '7')).toEqual({ __id__: 7 });
    expect(encode('cc.Button.target', { nodeUuid: '7' })).toEqual({ __id__: 7 });
    expect(encode('cc.Button.target', null)).toBeNull();
  });

  it('of events become objects of their own, with the class of the component', () => {
    const { type } = field('cc.Button', 'clickEvents');
    const event = { target: '4', component: 'Menu', handler: 'onPlay' };
    const encoded = encodeValue({ label: 'cc.Button.clickEvents', type }, [event], context);
    expect(encoded.objects).toEqual([['0']]);
    expect(encoded.value).toEqual([
      {
        __type__: 'cc.ClickEvent',
        target: { __id__: 4 },
        component: '',
        _componentId: 'id of Menu',
        handler: 'onPlay',
        customEventData: '',
      },
    ]);
  });

  it.each<[string, Json, string]>([
    ['cc.Label.fontSize', 'big', 'cc.Label.fontSize must be a finite number; it was "big".'],
    ['cc.Label.isBold', 'true', 'cc.Label.isBold must be true or false; it was "true".'],
    ['cc.Label.string', 5, 'cc.Label.string must be a string; it was 5.'],
    ['cc.Sprite.type', 'ROUND', 'cc.Sprite.type must be SIMPLE, SLICED, TILED, FILLED'],
    ['cc.Sprite.type', 9, 'cc.Sprite.type must be SIMPLE (0), SLICED (1)'],
    ['cc.Sprite.color', 'red', 'cc.Sprite.color must be {r, g, b, a} or "#rrggbb"; it was "red".'],
    ['cc.Sprite.color', { r: 300, g: 0, b: 0 }, 'parts from 0 to 255'],
    ['cc.UITransform.contentSize', { width: 5 }, 'with finite numbers'],
    ['cc.UITransform.contentSize', '5,5', 'must be {width, height}'],
    ['cc.UITransform.contentSize', { width: 5, height: 5, x: 1 }, 'without "x"'],
    ['cc.Sprite.spriteFrame', 5, 'the path or uuid of a cc.SpriteFrame, or null'],
    ['cc.Button.target', true, 'the handle or path of a cc.Node, or null'],
    ['cc.Button.clickEvents', {}, 'must be an array'],
    ['cc.Button.clickEvents', [5], 'cc.Button.clickEvents.0 must be an object'],
    ['cc.Button.clickEvents', [{ handlr: 'x' }], 'has no part "handlr"'],
    ['cc.EditBox.maxLength', 1.5, 'must be an integer'],
  ])('%s refuses %j', (of, value, message) => {
    expect(() => encode(of, value)).toThrow(
      expect.objectContaining({
        code: 'E_INVALID_ARGUMENT',
        message: expect.stringContaining(message),
      }),
    );
  });

  it('of fields that nobody knows stay of the type they have, and references say what they are', () => {
    const any = (value: Json, current?: Json): Json =>
      encodeValue({ label: 'x', type: { kind: 'any' }, current }, value, context).value;
    expect(any('free')).toBe('free');
    expect(any({ x: 5 }, { __type__: 'cc.Vec2', x: 1, y: 2 })).toEqual({
      __type__: 'cc.Vec2',
      x: 5,
      y: 2,
    });
    expect(any({ nodeUuid: '7' })).toEqual({ __id__: 7 });
    expect(any({ assetPath: 'a' })).toEqual({
      __uuid__: 'uuid of a',
      __expectedType__: 'cc.Asset',
    });
    for (const [value, current] of [
      ['5', 4],
      [{ a: 1 }, { __id__: 3 }],
      [[{ __id__: 3 }], null],
    ] as const) {
      expect(() => any(value as Json, current as Json)).toThrow('x must be');
    }
  });

  it('come back from what readers see', () => {
    for (const spec of builtInComponents.values()) {
      for (const { name, type, initial } of spec.fields) {
        const shown = decodeValue(type, initial ?? null, reading);
        const again = encodeValue({ label: name, type }, shown, context).value;
        expect([spec.type, name, again]).toEqual([spec.type, name, initial]);
      }
    }
    const shown = decodeValue(
      field('cc.Sprite', 'spriteFrame').type,
      { __uuid__: 'uuid of a' },
      reading,
    );
    expect(shown).toBe('a');
    expect(decodeValue(field('cc.Sprite', 'color').type, color(1, 2, 3, 4), reading)).toBe(
      '#01020304',
    );
    expect(decodeValue(field('cc.Sprite', 'type').type, 1, reading)).toBe('SLICED');
  });
});

function color(...[r = 0, g = 0, b = 0, a = 0]: number[]): Json {
  return { __type__: 'cc.Color', r, g, b, a };
}

function size(width: number, height: number): Json {
  return { __type__: 'cc.Size', width, height };
}
