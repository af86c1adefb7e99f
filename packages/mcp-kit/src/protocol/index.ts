export {
  appMimeType,
  appScheme,
  appsExtension,
  appUriOf,
  isVisibleTo,
  showsApps,
  withAppUri,
  type ToolApp,
} from './apps.ts';
export { callerOf, onBehalf } from './caller.ts';
export { mergeCapabilities, supports } from './model/capabilities.ts';
export { steer, vocabulary } from './control.ts';
export {
  claimsModern,
  clientOf,
  clientText,
  isImplementation,
  metaKeys,
  metaOf,
  readEnvelope,
  type ClientView,
} from './envelope.ts';
export {
  Conversation,
  conversationOf,
  type ConversationLink,
  type HandshakeRecord,
  type Listener,
  type Phase,
} from './handshake.ts';
export {
  badRequest,
  httpStatusOf,
  invalidParams,
  markWithin,
  mcpErrors,
  methodNotFound,
  missingClientCapability,
  resourceNotFound,
} from './model/errors.ts';
export {
  decodeHeaderValue,
  encodeHeaderValue,
  headerBindings,
  mirrorHeaders,
  mirrorMismatch,
  type HeaderBinding,
} from './schemas/headers.ts';
export {
  elicit,
  elicitUrl,
  isAnswer,
  listRoots,
  sample,
  type ElicitResult,
  type InputRequest,
  type RootsResult,
  type SamplingResult,
} from './model/inputs.ts';
export { enclose, layered, type Layers } from './layers.ts';
export { legacyOutputSchema, legacyStructured } from './schemas/legacy-schema.ts';
export {
  cacheable,
  emptyLists,
  mayAskInput,
  namedBy,
  repeatable,
  requestMethods,
} from './model/methods.ts';
export { dialectOf, movedSchema } from './schemas/moved-schema.ts';
export { bindingOf, createSealer, type Sealer, type SealerOptions } from './request-state.ts';
export type { Answers, Inputs, Learnt, Requests, TaskTerms } from './inputs.ts';
export {
  hasTasks,
  isLegacyVersion,
  legacyVersions,
  modernVersion,
  negotiate,
  requiresErrorId,
  supportedVersions,
  understandsPriming,
  type Era,
  type LegacyVersion,
} from './model/revisions.ts';
export type { Layer, Serve, Service } from './serve.ts';
export {
  descriptionFault,
  digestOf,
  folderNameOf,
  folderType,
  nameFault,
  readFrontmatter,
  skillFileName,
  skillLimits,
  skillsExtension,
  type FrontmatterReading,
  type Skill,
  type SkillFile,
} from './skills.ts';
export type { Target } from './target.ts';
export {
  isOver,
  legacyTaskCapability,
  readTask,
  relatedTaskKey,
  takesTasks,
  taskOf,
  tasksExtension,
  toLegacyTask,
  type DetailedTask,
  type Task,
  type TaskStatus,
} from './model/tasks.ts';
export {
  imagesOf,
  orThrow,
  structuredOf,
  textOf,
  withContent,
  type Image,
  type ToolResult,
} from './model/tool-result.ts';
export { traceHeaders, traceIdOf, traceOf } from './trace-context.ts';
export { isReservedHeader } from './reserved-headers.ts';
export {
  traceTarget,
  watchUnreadable,
  type TraceListener,
  type Unreadable,
} from './trace-target.ts';
export {
  isLoggingLevel,
  isUri,
  weightOfListen,
  weightOfUri,
  loggingLevels,
  reaches,
  type Annotations,
  type CallToolResult,
  type ClientCapabilities,
  type ContentBlock,
  type GetPromptResult,
  type Icon,
  type Implementation,
  type JsonSchema,
  type LoggingLevel,
  type Meta,
  type Prompt,
  type PromptArgument,
  type PromptMessage,
  type Resource,
  type ResourceContents,
  type ResourceTemplate,
  type ServerCapabilities,
  type Tool,
  type ToolAnnotations,
} from './model/types.ts';
export { parseUriTemplate, type UriTemplate } from './uri-template.ts';
