import { Buffer } from 'node:buffer';
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Logger } from '#base';
import { labelOf } from './place.ts';

/** What is seen of one HTTP request: that it is answered, how the answer ends, or that there is none. */
export type HttpEvent = {
  readonly method: string;
  /** Without credentials and query. */
  readonly url: string;
  /** Since it was sent. */
  readonly ms: number;
} & (
  | { readonly kind: 'answered'; readonly status: number; readonly headers: IncomingHttpHeaders }
  | {
      readonly kind: 'ended';
      readonly status: number;
      /** Whether the whole body has come. */
      readonly complete: boolean;
      readonly bytes: number;
      /** How it begins, where it is neither JSON nor an event stream, or says that something failed. */
      readonly body: string | undefined;
    }
  | { readonly kind: 'failed'; readonly error: Error }
);

/** How much of a body is shown. */
const shownBytes = 4096;

/** Tells `onHttp` what becomes of a request; it listens beside whoever sent it, and takes nothing away. */
export function watchRequest(
  request: ClientRequest,
  url: URL,
  { onHttp, logger }: { readonly onHttp: (event: HttpEvent) => void; readonly logger: Logger },
): void {
  const sentMs = performance.now();
  const about = (): { readonly method: string; readonly url: string; readonly ms: number } => ({
    method: request.method,
    url: labelOf(url),
    ms: performance.now() - sentMs,
  });
  const tell = (event: HttpEvent): void => {
    // Somebody else's bug is not the end of the request.
    try {
      onHttp(event);
    } catch (error) {
      logger.error(`onHttp threw: ${String(error)}`);
    }
  };
  let isAnswered = false;
  request.once('response', (response: IncomingMessage) => {
    isAnswered = true;
    const { statusCode: status = 0, headers } = response;
    tell({ ...about(), kind: 'answered', status, headers });
    watchBody(response, (body) => tell({ ...about(), kind: 'ended', status, ...body }));
  });
  request.once('error', (error) => {
    if (!isAnswered) tell({ ...about(), kind: 'failed', error });
  });
}

type Body = Pick<Extract<HttpEvent, { kind: 'ended' }>, 'complete' | 'bytes' | 'body'>;

function watchBody(response: IncomingMessage, over: (body: Body) => void): void {
  const { statusCode: status = 0, headers } = response;
  const type = headers['content-type'] ?? '';
  const isUsual = status < 300 && /^(application\/json|text\/event-stream)\b/i.test(type);
  let bytes = 0;
  let head = Buffer.alloc(0);
  // Whoever sent the request reads the body from this turn on, so it flows anyway.
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (!isUsual && head.length < shownBytes) head = Buffer.concat([head, chunk]);
  });
  response.once('close', () => {
    const body = isUsual || bytes === 0 ? undefined : head.toString('utf8', 0, shownBytes);
    over({ complete: response.complete, bytes, body });
  });
}
