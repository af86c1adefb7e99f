export { createVerdicts, type VerdictOptions, type Verdicts } from './probe.ts';
export type { ToolGuard } from './layer.ts';
export { createStormBreaker, type StormBreaker } from './limit.ts';
export type {
  CallOptions,
  CompleteOptions,
  ElicitForm,
  ElicitVisit,
  HandlerOptions,
  InputContext,
  InputHandlers,
  NotificationListener,
  RequestListener,
  Roots,
  SamplingRequest,
  SessionOptions,
  SessionStats,
} from './options.ts';
export type { PageOptions } from './pages.ts';
export { createResultCache, type CachePartition, type ResultCache } from './result-cache.ts';
export {
  type CompletionReference,
  type CompletionResult,
  type DiscoverResult,
  type ParamsOf,
  type PromptsPage,
  type ReadResourceResult,
  type Requests,
  type ResourcesPage,
  type ResourceTemplatesPage,
  type ResultOf,
  type Subscription,
  type SubscriptionFilter,
  type ToolsPage,
} from './results.ts';
export { openSession, type Session } from './session.ts';
export {
  listSkills,
  readSkillFile,
  type Skill,
  type SkillFile,
  type SkillSource,
} from './skills.ts';
export { checkArguments } from './tool-table.ts';
export type { Issue } from '#schema';
export { imagesOf, orThrow, structuredOf, textOf, type Image, type ToolResult } from '#protocol';
