export {
  all,
  type AssetQuery,
  type AssetReference,
  type CocosBackend,
  type Committed,
  type DocumentReference,
  type EditContext,
  type EditPlan,
  type KeptKeys,
  type NodeQuery,
  type NodeReference,
  type PictureOptions,
  type WriteOptions,
} from './backend.ts';
export type { EditDefinition, Loose, ObjectSchema } from './edits/define-edit.ts';
export {
  type Edit,
  type EditName,
  type EditResult,
  type EditResults,
  type Edits,
  edits,
} from './edits/index.ts';
export * from './edits/schemas.ts';
export { type HeadlessOptions, openHeadless } from './headless-backend.ts';
export type * from './readings.ts';
export { type EditorOptions, openEditorBackend } from './editor/editor-backend.ts';
export {
  FakeEditor,
  type FakeEditorOptions,
  type Fault,
  openFakeEditor,
} from './editor/fake-editor.ts';
export { allowedMessages, extensionName } from './editor/messages.ts';
export {
  checkAgainst,
  type RecordedMessage,
  readRecording,
  recordingRequester,
  type ReplayDifference,
  replayingRequester,
} from './editor/recording.ts';
export type { EditorLinkOptions, EditorRequester } from './editor/requester.ts';
