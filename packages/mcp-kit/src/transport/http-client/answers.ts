import { classify, isRecord, type Response } from '#jsonrpc';
import { mcpErrors } from '#protocol';

/** Whether a value is an answer; a peer's id is then one of ours. */
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

/** Servers say it in their own words; many in those of the SDK's examples, with status 400. */
const forgotten =
  /\b(?:no valid|invalid) session\b|\bnot initialized\b|\bsession\b.*\b(?:not found|unknown|invalid|expired|terminated)\b/i;

/** Who says it does so at once; the expression takes quadratic time. */
const maxSaid = 1000;

/** Whether a refusal means that the session is unknown, although its status does not say so. */
export function isForgotten(said: Response | undefined): boolean {
  const error = said?.error;
  if (error === undefined || error === null) return false;
  return (
    error.code === mcpErrors.sessionNotFound || forgotten.test(error.message.slice(0, maxSaid))
  );
}
