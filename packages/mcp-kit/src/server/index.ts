// What handlers throw.
export { RpcError } from '#jsonrpc';
export { apps, type AppDefinition } from './apps.ts';
export {
  Context,
  type Answers,
  type CommitNote,
  type Requests,
  type Scope,
  type Spans,
} from './context.ts';
export type { Changes, Feature, Handler } from './feature.ts';
export { listMethod } from './list.ts';
export { InputNeeded } from './modern-edge.ts';
export { definePrompt, prompts, type PromptDefinition, type PromptSet } from './prompts.ts';
export {
  defineResource,
  defineResourceTemplate,
  resources,
  type ResourceDefinition,
  type ResourceSet,
  type ResourceTemplateDefinition,
} from './resources.ts';
export { createServer, type Server, type ServerOptions } from './server.ts';
export { skills, type SkillFault, type SkillSet } from './skills/skills.ts';
