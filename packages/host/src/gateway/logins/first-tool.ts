import type { Exchange, Serve, Tool } from 'mcp-kit/internal';
import { finished } from '../edge.ts';
import { textResult } from '../own-tools.ts';
import { recalledListing, type Listing } from '../upstream/listing.ts';

const tool: Tool = {
  name: 'log_in',
  description:
    'Has your user log in to this server with their own account, in a browser. Its tools are listed then.',
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
};

/** What is shown of a server of which nothing is known because nobody has logged in yet: a way to do so. */
export const firstListing: Listing = recalledListing({ tools: [tool], fresh: [] });

/** Whether a request calls that tool. */
export function isFirstTool({ message: { method, params } }: Exchange): boolean {
  return method === 'tools/call' && params?.['name'] === tool.name;
}

/** Asks the server for something that needs nothing but a login. */
export function loggingIn(server: string, next: Serve): Serve {
  return async (exchange) => {
    const { _meta } = exchange.message.params ?? {};
    const asked = exchange.instead('tools/list', _meta === undefined ? undefined : { _meta });
    asked.client = exchange.client;
    await next(asked);
    return finished(exchange, textResult(`Your user is logged in to ${server}.`));
  };
}
