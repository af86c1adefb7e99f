import type { Params } from '#jsonrpc';
import { supports, type ClientCapabilities } from '#protocol';

/** Whether a client that can do so much may be asked this, where a question is part of a call. */
export function mayBeAsked(
  capabilities: ClientCapabilities,
  method: string,
  params: Params,
): boolean {
  const needs = needsOf(method, params);
  return needs !== undefined && supports(capabilities, needs);
}

/** What a client must have declared to be asked this; nothing for what the stateless era cannot ask. */
function needsOf(method: string, params: Params): ClientCapabilities | undefined {
  switch (method) {
    case 'elicitation/create':
      return { elicitation: params['mode'] === 'url' ? { url: {} } : { form: {} } };
    case 'sampling/createMessage': {
      const usesTools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
      return { sampling: usesTools ? { tools: {} } : {} };
    }
    case 'roots/list':
      return { roots: {} };
    default:
      return undefined;
  }
}
