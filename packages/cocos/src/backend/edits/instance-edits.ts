import {
  applyOverrides,
  isOfProperty,
  partOfInstance,
  requireInstance,
  revertOverrides,
} from '#cocos/edit';
import { defineEdit, documentOf } from './define-edit.ts';
import {
  closedObject,
  count,
  gameScene,
  instanceUuid,
  object,
  ofInstance,
  scenePath,
  text,
} from './schemas.ts';

const category = 'prefab';

/** Edits of instances of prefabs. */
export const instanceEdits = [
  defineEdit({
    op: 'revert_overrides',
    tool: 'execute_prefab_revert',
    description:
      'Lets a prefab instance be as its prefab again, in all or in some; its name and place stay its own.',
    category,
    idempotent: true,
    riskLevel: 'medium',
    ...ofInstance,
    examples: [
      ...ofInstance.examples,
      {
        title: 'Only the colour of a line',
        input: {
          scenePath: gameScene,
          nodeUuid: 'Canvas/Ranking/view/content/Line2',
          targetUuid: ':cc.Sprite',
          property: 'color',
        },
      },
    ],
    input: closedObject(['nodeUuid'], {
      scenePath,
      nodeUuid: instanceUuid,
      targetUuid: {
        ...text,
        description:
          'Only what this part of the instance has: uuid or path, or the way to it: Panel/Title:cc.Label.',
      },
      property: { ...text, description: 'Only this one, as list_prefab_overrides calls it.' },
    }),
    output: object(['nodeUuid', 'reverted'], { scenePath: text, nodeUuid: text, reverted: count }),
    run(args, run) {
      const document = documentOf(args, run);
      const { targetUuid, property } = args;
      const root = requireInstance(document, args.nodeUuid);
      const target = targetUuid && partOfInstance(document, root, targetUuid).handle;
      let reverted = 0;
      const { changes } = revertOverrides(document, root.handle, (override) => {
        const isMeant =
          !override.reserved &&
          (target === undefined || override.target === target) &&
          (property === undefined || isOfProperty(override, property));
        if (isMeant) reverted++;
        return isMeant;
      });
      return { result: { nodeUuid: root.handle, reverted }, changes };
    },
  }),
  defineEdit({
    op: 'apply_overrides',
    tool: 'execute_prefab_apply',
    description:
      'Makes what a prefab instance has of its own part of the prefab, so that all instances have it. Changes the prefab file.',
    category,
    idempotent: true,
    riskLevel: 'medium',
    ...ofInstance,
    input: closedObject(['nodeUuid'], { scenePath, nodeUuid: instanceUuid }),
    output: object(['nodeUuid', 'prefabPath', 'applied', 'kept'], {
      scenePath: text,
      nodeUuid: text,
      prefabPath: text,
      applied: count,
      kept: count,
    }),
    run(args, run) {
      const document = documentOf(args, run);
      const nodeUuid = requireInstance(document, args.nodeUuid).handle;
      const { prefab: prefabPath, applied, kept, changes } = applyOverrides(document, nodeUuid);
      return { result: { nodeUuid, prefabPath, applied, kept }, changes };
    },
  }),
] as const;
