export {
  all,
  type AssetQuery,
  type CocosBackend,
  type Committed,
  type DocumentReference,
  type EditContext,
  type EditPlan,
  type KeptKeys,
  type NodeQuery,
  type PictureOptions,
  type WriteOptions,
} from './backend.ts';
export type {
  AssetReference,
  ComponentReference,
  Edit,
  EditName,
  EditResult,
  EditResults,
  Edits,
  NodeReference,
} from './edit.ts';
export { HeadlessBackend, type HeadlessOptions, openHeadless } from './headless-backend.ts';
export type * from './readings.ts';
export { EditorBackend, type EditorOptions, openEditorBackend } from './editor/editor-backend.ts';
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
