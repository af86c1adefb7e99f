import type { Json } from '#cocos/document';
import {
  assignSprite,
  findClass,
  requireInstance,
  requireNode,
  type SceneDocument,
  setProperties,
  updateInstance,
} from '#cocos/edit';
import { add, additionInput, additionOutput, valuesOf } from './component-edits.ts';
import { defineEdit, documentOf } from './define-edit.ts';
import {
  closedObject,
  flag,
  instanceUuid,
  nodeUuid,
  object,
  scenePath,
  text,
  texts,
} from './schemas.ts';

/** Edits that only workflows use. */
export const workflowEdits = [
  defineEdit({
    op: 'ensure_component',
    description:
      'As add_component; where the node has a component of the class, that one is taken.',
    input: additionInput,
    output: additionOutput,
    byMessages: true,
    run(args, run) {
      const document = documentOf(args, run);
      const present = presentOn(document, args);
      if (present === undefined) return add(document, args);
      const set = setProperties(document, present.componentUuid, valuesOf(args));
      return {
        result: { ...present, added: [], warnings: set.warnings },
        changes: set.changes,
        made: present.componentUuid,
      };
    },
  }),
  defineEdit({
    op: 'assign_sprite',
    description: 'Lets a node show a sprite frame; adds a cc.Sprite where the node has none.',
    input: closedObject(['nodeUuid', 'spriteFrame'], {
      scenePath,
      nodeUuid,
      spriteFrame: {
        ...text,
        description: 'An image or sprite frame; $name of an image that the same plan imports.',
      },
      sizeMode: { enum: ['CUSTOM', 'TRIMMED', 'RAW'] },
    }),
    output: object(['componentUuid', 'spriteFrameUuid'], {
      componentUuid: text,
      spriteFrameUuid: text,
    }),
    byMessages: true,
    run(args, run) {
      const done = assignSprite(documentOf(args, run), args.nodeUuid, args);
      const { component, spriteFrameUuid, changes } = done;
      return { result: { componentUuid: component, spriteFrameUuid }, changes, made: component };
    },
  }),
  defineEdit({
    op: 'update_instance',
    description: 'Gives an instance of a prefab values of its own.',
    input: closedObject(['nodeUuid'], {
      scenePath,
      nodeUuid: instanceUuid,
      prefabPath: { ...text, description: 'Fails where it is an instance of another prefab.' },
      revert: { ...flag, description: 'First lets it be as its prefab. Default false.' },
      overrides: {
        type: 'array',
        items: object(['property', 'value'], {
          targetUuid: text,
          property: text,
          value: { description: 'Any JSON.' },
        }),
      },
    }),
    output: object(['nodeUuid', 'diff'], {
      nodeUuid: text,
      diff: object(['added', 'changed', 'removed'], {
        added: texts,
        changed: texts,
        removed: texts,
      }),
    }),
    // No message takes an override back.
    byMessages: ({ revert }) => revert !== true,
    run(args, run) {
      const document = documentOf(args, run);
      const { prefabPath: prefab, revert } = args;
      const root = requireInstance(document, args.nodeUuid);
      const overrides = args.overrides?.map(({ targetUuid: target, property, value }) => ({
        target,
        property,
        // What comes as JSON is nothing else.
        value: value as Json,
      }));
      const update = { prefab, revert, overrides };
      const { node, diff, changes } = updateInstance(document, root.handle, update);
      return { result: { nodeUuid: node, diff }, changes };
    },
  }),
] as const;

/** The component of a class that a node has already. */
function presentOn(
  document: SceneDocument,
  args: { readonly nodeUuid: string; readonly type: string },
): { componentUuid: string; type: string } | undefined {
  const item = requireNode(document, args.nodeUuid);
  const { name, spec } = findClass(document, args.type);
  const { view } = document;
  const present = view
    .components(item.index)
    .find(({ index }) => view.at(index)['__type__'] === spec.type);
  return present && { componentUuid: present.handle, type: name };
}
