import { isRecord } from 'mcp-kit/internal';
import type { ServerHandle } from '@mcp-kit/host';
import type { CallToolResult, Tool } from 'mcp-kit/protocol';

/** What a tool that tells about tools or calls has answered: what it knows, or why it does not. */
export type Told =
  | { readonly known: Readonly<Record<string, unknown>> }
  | { readonly refused: string };

/** Asks a tool that governed servers have; nothing where the server has none that is sure to do no more than tell. */
export async function askGoverned(
  handle: ServerHandle,
  name: 'get_tool_manifest' | 'get_trace_by_id',
  question: {
    readonly tools: readonly Tool[];
    readonly args: Readonly<Record<string, unknown>>;
    readonly stop: AbortSignal;
  },
): Promise<Told | undefined> {
  const { tools, args, stop } = question;
  const tool = tools.find((one) => one.name === name);
  if (tool?.annotations?.readOnlyHint !== true) return undefined;
  return read(await handle.callTool(name, args, { signal: stop }));
}

/** Governed tools answer with an envelope. */
function read({ structuredContent: envelope }: CallToolResult): Told {
  const { data, error } = isRecord(envelope) ? envelope : {};
  if (isRecord(data)) return { known: data };
  const message = isRecord(error) ? error['message'] : undefined;
  return { refused: typeof message === 'string' ? message : 'the answer is not understood' };
}
