import { CocosError } from '#cocos/document';
import { advancedEdits } from './advanced-edits.ts';
import { assetEdits } from './asset-edits.ts';
import { componentEdits } from './component-edits.ts';
import type { EditDefinition } from './define-edit.ts';
import { instanceEdits } from './instance-edits.ts';
import { nodeEdits } from './node-edits.ts';
import { prefabEdits } from './prefab-edits.ts';
import { repairEdits } from './repair-edits.ts';
import { sceneEdits } from './scene-edits.ts';
import { workflowEdits } from './workflow-edits.ts';

/** All edits, by what they are about. */
export const edits = {
  scene: sceneEdits,
  repair: repairEdits,
  node: nodeEdits,
  component: componentEdits,
  prefab: prefabEdits,
  instance: instanceEdits,
  asset: assetEdits,
  advanced: advancedEdits,
  workflow: workflowEdits,
} as const;

type Group = (typeof edits)[keyof typeof edits];
/** All edits: what each takes, and what it answers. */
export type Edits = {
  [Definition in Group[number] as Definition['op']]: Definition extends EditDefinition<
    string,
    infer Args,
    infer Result
  >
    ? { readonly args: Args; readonly result: Result }
    : never;
};

/** The name of an edit. */
export type EditName = keyof Edits;

/** One thing to do to a project, as plain JSON. */
export type Edit<Name extends EditName = EditName> = {
  [Op in Name]: {
    readonly op: Op;
    /** Gives what is created a name for later edits of the plan: `menu` is called `$menu`. */
    readonly as?: string | undefined;
  } & Edits[Op]['args'];
}[Name];

/** What became of one edit. */
export type EditResult<Name extends EditName = EditName> = {
  [Op in Name]: { readonly op: Op } & Edits[Op]['result'];
}[Name];

/** The results of a list of edits, each by the edit in its place. */
export type EditResults<List extends readonly Edit[]> = {
  readonly [Place in keyof List]: List[Place] extends Edit ? EditResult<List[Place]['op']> : never;
};

const byName: ReadonlyMap<string, EditDefinition> = new Map(
  Object.values(edits)
    .flat()
    .map((definition) => [definition.op, definition]),
);

/** The declaration of an edit. */
export function definitionOf({ op }: Edit): EditDefinition {
  const definition = byName.get(op);
  if (definition !== undefined) return definition;
  throw new CocosError('E_INVALID_ARGUMENT', `There is no edit "${op}".`, {
    suggestion: `Edits: ${[...byName.keys()].join(', ')}.`,
  });
}
