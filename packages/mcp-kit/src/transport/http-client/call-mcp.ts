import { abortedBy, createDeferred, KitError, requireTime, startTimer } from '#base';
import { isRecord, rpcErrors, type Params, type Request, type Response } from '#jsonrpc';
import { mcpErrors, metaKeys, modernVersion } from '#protocol';
import { isResponse } from './request.ts';
import { HttpChannel } from './channel.ts';
import { parseUrl, settle, type HttpClientOptions } from './options.ts';
import { labelOf } from './place.ts';

/** How one call without a session is sent. */
export interface CallMcpOptions extends Pick<
  HttpClientOptions,
  'headers' | 'auth' | 'limits' | 'agent' | 'proxy' | 'ca'
> {
  /** How long it may take in all; 30 s. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One direct call without a session; resolves with the whole JSON-RPC response, be it a result or an error.
 * A server that wants the envelope of the modern era gets it at a second try.
 */
export async function callMcp(
  url: string | URL,
  method: string,
  ...[params, options = {}]: [params?: Params | undefined, options?: CallMcpOptions]
): Promise<Response> {
  const { timeoutMs = 30_000, signal } = options;
  requireTime('timeoutMs', timeoutMs);
  const place = parseUrl(url);
  const channel = new HttpChannel(place, undefined, settle(options));
  let awaited = createDeferred<Response>();
  let id = 0;
  channel.start({
    deaf: false,
    message: (value) => {
      if (isResponse(value) && value.id === id) awaited.resolve(value);
    },
    malformed: () => {},
    skipped: () => {},
    released: () => {},
    lost: (_, error) => awaited.reject(error),
    failed: () => {},
    ended: () => {},
    closed: () => {},
  });
  const ask = (sent: Params | undefined): Promise<Response> => {
    awaited = createDeferred();
    id += 1;
    const message: Request =
      sent === undefined
        ? { jsonrpc: '2.0', id, method }
        : { jsonrpc: '2.0', id, method, params: sent };
    channel.send(JSON.stringify(message), { message });
    return awaited.promise;
  };
  const giveUp = (): void => {
    awaited.reject(abortedBy(method, signal?.reason));
  };
  const timer = startTimer(() => {
    const what = `${method}: no answer from ${labelOf(place)} within ${timeoutMs} ms`;
    awaited.reject(new KitError('timeout', what));
  }, timeoutMs);
  signal?.addEventListener('abort', giveUp, { once: true });
  try {
    const first = ask(params);
    if (signal?.aborted) giveUp();
    const answer = await first;
    const again = wantsEnvelope(answer) ? enveloped(params) : undefined;
    return again === undefined ? answer : await ask(again);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
    await channel.close();
  }
}

/** Whether a server refused, before anything ran, because it did not learn who asks. */
function wantsEnvelope({ error }: Response): boolean {
  switch (error?.code) {
    case mcpErrors.headerMismatch:
    case mcpErrors.missingClientCapability:
    case mcpErrors.unsupportedVersion:
      return true;
    case rpcErrors.invalidParams:
      return error.message.includes('_meta');
    case rpcErrors.invalidRequest:
    case rpcErrors.overloaded:
      // One that serves sessions beside modern calls takes this for a message of a session.
      return /session|initiali[sz]e/i.test(error.message);
    default:
      return false;
  }
}

/** The parameters with an envelope; nothing where they have one. */
function enveloped(params: Params | undefined): Params | undefined {
  const given = params?.['_meta'];
  const meta = isRecord(given) ? given : {};
  const envelope = {
    [metaKeys.protocolVersion]: modernVersion,
    [metaKeys.clientCapabilities]: {},
  };
  const hasOne = Object.keys(envelope).some((key) => meta[key] !== undefined);
  return hasOne ? undefined : { ...params, _meta: { ...meta, ...envelope } };
}
