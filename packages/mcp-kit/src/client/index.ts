// What calls throw, where they are made.
export { KitError, type KitErrorCode } from '#base';
export { RpcError } from '#jsonrpc';
export { createEraCache, type EraCache } from './probe.ts';
export type { ToolGuard } from './layer.ts';
export { createStormBreaker, type StormBreaker } from './limit.ts';
export type {
  CallOptions,
  ElicitForm,
  ElicitVisit,
  InputContext,
  InputHandlers,
  SamplingRequest,
  SessionOptions,
} from './options.ts';
export type { ReadResourceResult, Subscription, SubscriptionFilter } from './results.ts';
export { openSession, type Session } from './session.ts';
export { getSkill, listSkills, readSkillFile } from './skills.ts';
export type { Skill } from '#protocol';
export type { TaskHandle } from './tasks/task-handle.ts';
export { checkArguments } from './tool-table.ts';
export type { Issue } from '#schema';
export { imagesOf, orThrow, structuredOf, textOf, type Image, type ToolResult } from '#protocol';
