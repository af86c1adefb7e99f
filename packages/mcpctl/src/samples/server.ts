import type { Logger } from 'mcp-kit/internal';
import { createServer, prompts, resources, type Server, type ServerOptions } from 'mcp-kit/server';
import { toolSet, type Tool, type ToolSetOptions } from 'mcp-kit/tools';
import { createTextGreeting, executeTimerCountdown } from './interaction.ts';
import { CallCounter } from './status.ts';
import { findTextMatches, getTextStatistics, translateText } from './text.ts';
import { version } from '../version.ts';
import { getTimeNow, timeInZone } from './time.ts';

const tools: readonly Tool[] = [
  getTimeNow,
  getTextStatistics,
  findTextMatches,
  executeTimerCountdown,
  createTextGreeting,
];

/** A tool that works without arguments. */
export const firstTool: string = getTimeNow.name;

/** The server that `mcpctl serve` serves: small, harmless, and a tour of what both eras have. */
export function createSampleServer(options: {
  readonly contract: NonNullable<ToolSetOptions['contract']>;
  readonly logger: Logger;
  /** Tools that only a governed set can have; it then has no others that write. */
  readonly governed?: readonly Tool[] | undefined;
  readonly requestState?: ServerOptions['requestState'];
}): Server {
  const { contract, logger, governed = [], requestState } = options;
  const counter = new CallCounter();
  const status = counter.resource;
  const readable = resources({ resources: [status], templates: [timeInZone] });
  const offered = options.governed ? tools.filter(({ safety }) => safety === 'readonly') : tools;
  const counted = offered.map((tool) => counter.counting(tool, () => readable.updated(status.uri)));
  return createServer({
    name: 'mcpctl-samples',
    title: 'Sample tools of mcpctl',
    version: version(),
    requestState,
    instructions: `Sample tools to try a client with. Start with ${firstTool}, which needs no arguments.`,
    features: [
      toolSet([...counted, ...governed], { contract, version: version(), logger }),
      readable,
      prompts([translateText]),
    ],
  });
}
