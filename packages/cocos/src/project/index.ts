export type { Asset, SubAsset } from './asset.ts';
export { baseUuid } from './asset.ts';
export { subAssetOf, type AssetChange, type AssetProblem } from './asset-index.ts';
export { Draft, type DraftFile, type FileChange } from './draft.ts';
export { announceEditor, type EditorState } from './editor-state.ts';
export { findProject, type FoundProject, type Mount, type ProjectInfo } from './find-project.ts';
export { openProject, Project, type ProjectOptions } from './project.ts';
export type { AssetUse } from './references.ts';
export type { Transaction } from './transactions.ts';
