import type { Params } from '#jsonrpc';
import type { Tool } from '#protocol';
import type { Issue } from '#schema';
import { withoutPatterns } from './safe-schema.ts';

/**
 * What is wrong with arguments by the schema of their tool; empty when they fit. Patterns are not run. Throws a `KitError`
 * when the schema cannot be used.
 */
export async function checkArguments(tool: Tool, args: Params): Promise<readonly Issue[]> {
  const { compileSchema } = await import('#schema');
  // Arguments are an object, also where a server does not say so.
  const schema = withoutPatterns({ ...tool.inputSchema, type: 'object' });
  const { check } = compileSchema(schema, {
    subject: `input of ${tool.name}`,
    direction: 'input',
  });
  const checked = await check(args);
  return checked.ok ? [] : checked.issues;
}
