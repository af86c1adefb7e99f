import { KitError } from '#base';
import type { Params } from '#jsonrpc';
import type { Tool } from '#protocol';
import type { Issue } from '#schema';

/**
 * What is wrong with arguments by the schema of their tool; empty when they fit. Patterns are not run. Throws a `KitError`
 * when the schema cannot be used, or would take too long.
 */
export async function checkArguments(tool: Tool, args: Params): Promise<readonly Issue[]> {
  const { foreignSchema } = await import('#schema');
  const subject = `input of ${tool.name}`;
  // Arguments are an object, also where a server does not say so.
  const { issues, unchecked } = foreignSchema(
    { ...tool.inputSchema, type: 'object' },
    subject,
  )(args);
  if (unchecked !== undefined) throw new KitError('invalid_argument', `${subject}: ${unchecked}`);
  return issues;
}
