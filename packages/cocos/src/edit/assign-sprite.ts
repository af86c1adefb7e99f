import { enums } from '#cocos/components';
import { type Change, isObject, type Json, typeOf, type ViewItem } from '#cocos/document';
import { addComponent } from './components.ts';
import { findAsset } from './find-asset.ts';
import { setProperties } from './properties.ts';
import { requireInnerNode } from './references.ts';
import type { SceneDocument } from './workspace.ts';

/** What a node shall show. */
export interface SpriteAssignment {
  /** An image or a sprite frame. */
  readonly spriteFrame: string;
  /** How the size of the node follows the image; as it is where absent. */
  readonly sizeMode?: keyof typeof enums.sizeMode | undefined;
}

/** Lets a node show an image: adds a cc.Sprite where there is none, and sizes the node as its mode says. */
export function assignSprite(
  document: SceneDocument,
  reference: string,
  { spriteFrame, sizeMode }: SpriteAssignment,
): { component: string; spriteFrameUuid: string; changes: Change[] } {
  const node = requireInnerNode(document, reference);
  const { uuid } = findAsset(document.workspace, spriteFrame, 'cc.SpriteFrame');
  const properties: Record<string, Json> = { spriteFrame: uuid };
  if (sizeMode !== undefined) properties['sizeMode'] = sizeMode;
  const present = componentOf(document, node, 'cc.Sprite');
  const { component, changes } =
    present === undefined
      ? addComponent(document, node.handle, { type: 'cc.Sprite', properties })
      : { component: present.handle, ...setProperties(document, present.handle, properties) };
  const sized = fitSize(document, document.view.get(node.handle), uuid);
  return { component, spriteFrameUuid: uuid, changes: [...changes, ...sized] };
}

function componentOf({ view }: SceneDocument, node: ViewItem, type: string): ViewItem | undefined {
  return view.components(node.index).find(({ index }) => typeOf(view.at(index)) === type);
}

/** The engine sizes the node when it opens the scene; the file shall not say otherwise until then. */
function fitSize(document: SceneDocument, node: ViewItem, uuid: string): readonly Change[] {
  const { view, workspace } = document;
  const sprite = componentOf(document, node, 'cc.Sprite');
  const transform = componentOf(document, node, 'cc.UITransform');
  if (sprite === undefined || transform === undefined) return [];
  const mode = view.at(sprite.index)['_sizeMode'];
  const frame = workspace.draft.asset(uuid)?.subAssets.find((part) => part.uuid === uuid)?.userData;
  if (!isObject(frame) || mode === enums.sizeMode.CUSTOM) return [];
  const isRaw = mode === enums.sizeMode.RAW;
  const size = {
    width: numberOr(frame[isRaw ? 'rawWidth' : 'width'], 100),
    height: numberOr(frame[isRaw ? 'rawHeight' : 'height'], 100),
  };
  return setProperties(document, transform.handle, { contentSize: size }).changes;
}

function numberOr(value: Json | undefined, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise;
}
