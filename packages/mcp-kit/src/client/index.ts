export type { DiscoverResult } from './facts.ts';
export type {
  ElicitForm,
  ElicitVisit,
  InputContext,
  InputHandlers,
  Roots,
  SamplingRequest,
} from './inputs.ts';
export type { NotificationListener } from './notification-queue.ts';
export type { CallOptions, SessionOptions } from './options.ts';
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
export { openSession, Session } from './session.ts';
export {
  listSkills,
  readSkillFile,
  type Skill,
  type SkillFile,
  type SkillSource,
} from './skills.ts';
export type { SessionStats } from './stats.ts';
export type { Subscription, SubscriptionFilter } from './subscriptions.ts';
export { createVerdicts, type VerdictOptions, type Verdicts } from './verdicts.ts';
