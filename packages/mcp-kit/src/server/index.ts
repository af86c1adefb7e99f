export { Context, type CommitNote, type Scope, type Spans } from './context.ts';
export type { Changes, Feature, Handler } from './feature.ts';
export { InputNeeded, type Answers, type Requests } from './inputs.ts';
export { listMethod } from './list.ts';
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
