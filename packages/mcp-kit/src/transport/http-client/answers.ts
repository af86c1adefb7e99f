import { classify, isRecord, type Response } from '#jsonrpc';

/** Whether a value is a response; a peer's id is then one of ours. */
export function isResponse(value: unknown): value is Response & Record<string, unknown> {
  return isRecord(value) && classify(value).kind === 'response';
}

/** Whether it is an error of which the server could not say what it answers. */
export function isAnonymousError(value: unknown): value is Response {
  return isResponse(value) && (value.id === undefined || value.id === null);
}

/** The JSON-RPC error in the body of a refusal, if there is one. Some servers invent an id for it. */
export function errorIn(body: string): Response | undefined {
  if (!body.includes('"error"')) return undefined;
  try {
    const value: unknown = JSON.parse(body);
    const error = isRecord(value) ? value['error'] : undefined;
    const response = { jsonrpc: '2.0', error };
    return isRecord(value) && value['jsonrpc'] === '2.0' && isAnonymousError(response)
      ? response
      : undefined;
  } catch {
    return undefined;
  }
}
