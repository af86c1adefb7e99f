export { checkArguments } from './arguments.ts';
export type { DiscoverResult } from './facts.ts';
export type { ToolGuard } from './guard.ts';
export type { HandlerOptions } from './handler-queue.ts';
export type {
  ElicitForm,
  ElicitVisit,
  InputContext,
  InputHandlers,
  RequestListener,
  Roots,
  SamplingRequest,
} from './inputs.ts';
export type { NotificationListener } from './notification-queue.ts';
export type { CallOptions, CompleteOptions, SessionOptions } from './options.ts';
export type { PageOptions } from './pages.ts';
export { createResultCache, type CachePartition, type ResultCache } from './result-cache.ts';
export type {
  CompletionReference,
  CompletionResult,
  PromptsPage,
  ReadResourceResult,
  ResourcesPage,
  ResourceTemplatesPage,
  ToolsPage,
} from './results.ts';
export { openSession, type Session } from './session.ts';
export {
  listSkills,
  readSkillFile,
  type Skill,
  type SkillFile,
  type SkillSource,
} from './skills.ts';
export type { SessionStats } from './stats.ts';
export { createStormBreaker, type StormBreaker } from './storm.ts';
export type { Subscription, SubscriptionFilter } from './subscriptions.ts';
export { createVerdicts, type VerdictOptions, type Verdicts } from './verdicts.ts';
export type { Issue } from '#schema';
