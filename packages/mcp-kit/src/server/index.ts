export { Context, type CommitNote, type Scope, type Spans } from './context.ts';
export type { Changes, CompletionRequest, Feature, Handler, ListKind } from './feature.ts';
export type { Answers, Requests } from './inputs.ts';
export { InputNeeded } from './inputs.ts';
export { listMethod, type ListMethod } from './list.ts';
export type { Caching } from './modern-edge.ts';
export {
  definePrompt,
  prompts,
  type Complete,
  type PromptArguments,
  type PromptDefinition,
  type PromptSet,
} from './prompts.ts';
export type { ClientView, SealerOptions } from '#protocol';
export {
  defineResource,
  defineResourceTemplate,
  resources,
  type ReadResult,
  type ResourceDefinition,
  type ResourceSet,
  type ResourceTemplateDefinition,
} from './resources.ts';
export { createServer, type Server, type ServerOptions } from './server.ts';
