import type { message as AssetMessages } from '@cocos/creator-types/editor/packages/asset-db/@types/message.js';
import type { message as SceneMessages } from '@cocos/creator-types/editor/packages/scene/@types/message.js';
import { expect, it } from 'vitest';
import { toDump } from './dump.ts';
import {
  allowedMessages,
  componentProperty,
  isAllowed,
  type MessageArguments,
  type MessageName,
  newInstance,
  newNode,
  nodeProperty,
} from './messages.ts';

/** What the types of the editor say that a message takes. */
type SceneTaken<Name extends keyof SceneMessages> = SceneMessages[Name]['params'];

it('sends what the editor declares to take', () => {
  const position = toDump({ kind: 'value', type: 'cc.Vec3' }, { x: 1, y: 2, z: 3 });
  const built = [
    newNode('parent', 'Node') satisfies SceneTaken<'create-node'>[0],
    newInstance('parent', 'Node', 'prefab') satisfies SceneTaken<'create-node'>[0],
    nodeProperty('node', 'position', position) satisfies SceneTaken<'set-property'>[0],
    componentProperty({ node: 'node', place: 1 }, 'string', {
      value: '',
    }) satisfies SceneTaken<'set-property'>[0],
  ];
  expect(built).toEqual([
    { parent: 'parent', name: 'Node' },
    { parent: 'parent', name: 'Node', assetUuid: 'prefab', type: 'cc.Prefab', unlinkPrefab: false },
    { uuid: 'node', path: 'position', dump: { type: 'cc.Vec3', value: { x: 1, y: 2, z: 3 } } },
    { uuid: 'node', path: '__comps__.1.string', dump: { value: '' } },
  ]);
});

type OfScene = { [Name in MessageName<'scene'>]: MessageArguments<'scene', Name> };
type OfAssets = { [Name in MessageName<'asset-db'>]: MessageArguments<'asset-db', Name> };

/** Every message of ours takes what the one of the editor takes; the compiler checks it. */
const fits: [
  OfScene extends { [Name in MessageName<'scene'>]: SceneMessages[Name]['params'] } ? true : false,
  OfAssets extends { [Name in MessageName<'asset-db'>]: AssetMessages[Name]['params'] }
    ? true
    : false,
] = [true, true];

/** Names that are not in the declarations would be of any type; each must be there. */
type Declared<Map> = keyof { [Name in keyof Map as string extends Name ? never : Name]: true };
const declared: [
  MessageName<'scene'> extends Declared<SceneMessages> ? true : false,
  MessageName<'asset-db'> extends Declared<AssetMessages> ? true : false,
] = [true, true];

it('knows only messages that the editor declares', () => {
  expect([...fits, ...declared]).toEqual([true, true, true, true]);
  for (const [channel, names] of Object.entries(allowedMessages)) {
    for (const name of Object.keys(names)) expect(isAllowed(channel, name)).toBe(true);
  }
});

it.each([
  ['scene', 'new-scene'],
  ['scene', 'close-scene'],
  ['asset-db', 'create-asset'],
  ['scene', 'constructor'],
  ['toString', 'x'],
])('does not allow %s %s', (channel, name) => {
  expect(isAllowed(channel, name)).toBe(false);
});
