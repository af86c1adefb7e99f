/** How bad it is: the file does not work, it may not look as meant, or it is only worth knowing. */
export type Severity = 'error' | 'warning' | 'info';

/** What a rule of the validator is about. */
export interface FindingRule {
  readonly severity: Severity;
  /** What is wrong when the rule is broken. */
  readonly summary: string;
  /** Whether `repairDocument` can put it right, at least where only one way is possible. */
  readonly fixable: boolean;
}

const rule = (severity: Severity, summary: string): FindingRule => ({
  severity,
  summary,
  fixable: false,
});

const fixable = (severity: Severity, summary: string): FindingRule => ({
  severity,
  summary,
  fixable: true,
});

/** The name of a rule. */
export type FindingCode =
  | 'parse'
  | 'notArray'
  | 'badHead'
  | 'danglingId'
  | 'typeMismatch'
  | 'nullChild'
  | 'nullComponent'
  | 'childParentMismatch'
  | 'compNodeMismatch'
  | 'orphan'
  | 'cycle'
  | 'dupId'
  | 'dupFileId'
  | 'missingScript'
  | 'unknownClass'
  | 'missingAsset'
  | 'missingSubAsset'
  | 'wrongAssetType'
  | 'prefabNodeWithoutInfo'
  | 'prefabCompWithoutInfo'
  | 'nestedRootsMismatch'
  | 'overrideTargetMissing'
  | 'prefabCycle'
  | 'prefabAssetMissing'
  | 'sceneIdMismatch'
  | 'assetName'
  | 'missingRequired'
  | 'doubleRenderer'
  | 'uiWithoutCanvas'
  | 'canvasWithoutCamera'
  | 'layerNotSeen'
  | 'performance'
  | 'badMeta';

/** All rules, by the code that a finding has. */
export const findingRules: Readonly<Record<FindingCode, FindingRule>> = {
  parse: rule('error', 'The file is not JSON'),
  notArray: rule('error', 'The file is not a list of objects'),
  badHead: rule('error', 'The file begins with neither a scene nor a prefab that leads to a node'),
  danglingId: fixable('error', 'A reference names an object that the file does not have'),
  typeMismatch: rule('error', 'A reference names an object of another kind'),
  nullChild: fixable('warning', 'A list of children has an empty place'),
  nullComponent: fixable('warning', 'A list of components has an empty place'),
  childParentMismatch: fixable('error', 'A node is listed by another parent than it names'),
  compNodeMismatch: fixable('error', 'A component is listed by another node than it names'),
  orphan: rule('error', 'A node or component is listed by none'),
  cycle: rule('error', 'A node is its own ancestor'),
  dupId: fixable('error', 'Two objects have the same id'),
  dupFileId: rule('error', 'Two objects have the same id for overrides'),
  missingScript: rule('error', 'The script of a component is not in the project'),
  unknownClass: rule('warning', 'A class is neither of the engine nor of the project'),
  missingAsset: rule('error', 'An asset is neither in the project nor brought by the engine'),
  missingSubAsset: rule('error', 'An asset is there, but not the part of it that is used'),
  wrongAssetType: rule('warning', 'An asset is of another kind than expected'),
  prefabNodeWithoutInfo: fixable('warning', 'A node of a prefab has no id for overrides'),
  prefabCompWithoutInfo: fixable('warning', 'A component of a prefab has no id for overrides'),
  nestedRootsMismatch: fixable('error', 'The list of instances is not that of the instances'),
  overrideTargetMissing: rule('warning', 'An override is of something that is not in the prefab'),
  prefabCycle: rule('error', 'A prefab contains itself'),
  prefabAssetMissing: rule('error', 'The prefab of an instance is not in the project'),
  sceneIdMismatch: fixable('warning', 'The id of a scene is not that of its meta'),
  assetName: fixable('warning', 'A scene or prefab is called otherwise than its file'),
  missingRequired: fixable('warning', 'A component lacks another that it requires'),
  doubleRenderer: rule('warning', 'A node has two components of which it can have one'),
  uiWithoutCanvas: rule('warning', 'A node of the UI is in no Canvas, so that it is not drawn'),
  canvasWithoutCamera: fixable('warning', 'A Canvas has no camera, so that it is not drawn'),
  layerNotSeen: rule('warning', 'A node is in a layer that no camera shows'),
  performance: rule('info', 'There is more of something than runs well on phones'),
  badMeta: rule('error', 'A meta cannot be read, or has the uuid of another'),
};

/** Something that is not as it should be. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: Severity;
  /** In the project, with `/`. */
  readonly file: string;
  /** Where in the file, as a JSON pointer: `/12/_children/0`. */
  readonly pointer: string;
  /** The line of that place, from 1. */
  readonly line?: number | undefined;
  /** The path of the node in question. */
  readonly node?: string | undefined;
  /** The handle of the node or component in question. */
  readonly handle?: string | undefined;
  /** What is wrong, in one sentence. */
  readonly message: string;
  /** What to do next. */
  readonly suggestion: string;
  /** Whether `repairDocument` would put it right. */
  readonly fixable: boolean;
}

/** The findings of several files. */
export interface Report {
  /** How many scenes and prefabs were looked at. */
  readonly files: number;
  readonly findings: readonly Finding[];
  readonly counts: Readonly<Record<Severity, number>>;
}

/** A report of findings. */
export function reportOf(files: number, findings: readonly Finding[]): Report {
  const counts = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) counts[severity] += 1;
  return { files, findings, counts };
}
