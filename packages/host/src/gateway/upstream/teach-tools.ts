import type { Params, Tool } from 'mcp-kit/internal';
import type { Listing } from './listing.ts';

/** Where the legacy era knows the results of tools in another form, the bridge learns of which from the list. */
export async function teachTools(
  listing: Listing | undefined,
  ask: (method: string, params?: Params) => unknown,
): Promise<void> {
  if (listing?.tools.some(isWrapped) !== true) return;
  let cursor: unknown;
  do {
    const params = cursor === undefined ? undefined : { cursor };
    const page = (await ask('tools/list', params)) as { readonly nextCursor?: unknown };
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

function isWrapped({ outputSchema }: Tool): boolean {
  return outputSchema !== undefined && outputSchema['type'] !== 'object';
}
