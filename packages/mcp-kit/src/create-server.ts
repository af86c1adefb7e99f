import {
  createServer as joinFeatures,
  prompts as promptSet,
  resources as resourceSet,
  type Feature,
  type PromptDefinition,
  type ResourceDefinition,
  type ResourceTemplateDefinition,
  type Server,
  type ServerOptions as FeatureOptions,
} from '#server';
import { toolSet, type Tool, type ToolSetOptions } from '#tools';

/** What a server is called and what it offers. */
export interface ServerOptions extends Omit<FeatureOptions, 'features'> {
  readonly tools?: readonly Tool[] | undefined;
  /** How calls of tools that say `task` go on as tasks. */
  readonly tasks?: ToolSetOptions['tasks'];
  readonly resources?: readonly (ResourceDefinition | ResourceTemplateDefinition)[] | undefined;
  readonly prompts?: readonly PromptDefinition[] | undefined;
  /** What is made elsewhere: governed tool sets, workflows, features of your own. */
  readonly features?: readonly Feature[] | undefined;
}

/** Makes a server that `serve` serves, to any number of clients of every revision. */
export function createServer(options: ServerOptions): Server {
  const { tools = [], tasks, resources = [], prompts = [], features = [], ...rest } = options;
  const offered: Feature[] = [...features];
  if (tools.length > 0) offered.push(toolSet(tools, { tasks }));
  if (resources.length > 0) {
    offered.push(
      resourceSet({
        resources: resources.filter((one) => 'uri' in one),
        templates: resources.filter((one) => 'uriTemplate' in one),
      }),
    );
  }
  if (prompts.length > 0) offered.push(promptSet(prompts));
  return joinFeatures({ ...rest, features: offered });
}
