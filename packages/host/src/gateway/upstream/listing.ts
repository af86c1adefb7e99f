import type { CallOptions, Session } from 'mcp-kit/client';
import {
  RpcError,
  rpcErrors,
  skillsExtension,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type Tool,
} from 'mcp-kit/internal';
import type { OtherLists, ToolListing, Withheld } from '@mcp-kit/host';

/** What is known of one server. */
export interface Listing {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  /** Tools that are not what was approved. */
  readonly withheld: readonly Withheld[];
  /** Tools that may be used, and that nobody had seen when the server was approved. */
  readonly fresh: readonly string[];
  readonly instructions: string | undefined;
  /** Whether it serves skills, where it has said so or not. */
  readonly hasSkills?: boolean | undefined;
  /** What it says it is. */
  readonly about?: string | undefined;
  /** `cache`: it was not heard of since this process began; this is what it had when it was last seen. */
  readonly from: 'live' | 'cache';
}

const nothing: OtherLists = { prompts: [], resources: [], templates: [] };

/** What a server had when it was last seen. */
export function recalledListing(
  { tools, fresh }: Pick<ToolListing, 'tools' | 'fresh'> = { tools: [], fresh: [] },
  { instructions, ...others }: OtherLists = nothing,
): Listing {
  return { ...others, tools, fresh, instructions, withheld: [], from: 'cache' };
}

const noTools = { tools: [], withheld: [], fresh: [] };

/** Asks a server for all it has, by a session with it. */
export async function listAll(
  session: Session,
  listTools: () => Promise<ToolListing>,
  options: CallOptions = {},
): Promise<Listing> {
  const { capabilities } = session;
  const [{ tools, withheld, fresh }, prompts, resources, templates] = await Promise.all([
    capabilities.tools ? listTools() : noTools,
    capabilities.prompts ? gathered(session.prompts(options)) : [],
    capabilities.resources ? gathered(session.resources(options)) : [],
    capabilities.resources ? templatesOf(session, options) : [],
  ]);
  return {
    tools,
    withheld,
    fresh,
    prompts,
    resources,
    templates,
    instructions: session.instructions,
    hasSkills: capabilities.extensions?.[skillsExtension] !== undefined,
    about: aboutOf(session),
    from: 'live',
  };
}

/** What a server says it is. */
function aboutOf({ server }: Session): string | undefined {
  return server?.description;
}

/** Many servers that have resources know no templates, not even that there are none. */
async function templatesOf(
  session: Session,
  options: CallOptions,
): Promise<readonly ResourceTemplate[]> {
  try {
    return await gathered(session.resourceTemplates(options));
  } catch (error) {
    if (error instanceof RpcError && error.code === rpcErrors.methodNotFound) return [];
    throw error;
  }
}

async function gathered<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
