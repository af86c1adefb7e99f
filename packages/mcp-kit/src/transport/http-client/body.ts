import type { Buffer } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import {
  oversized,
  parseMessage,
  rpcErrors,
  type Limits,
  type Sink,
  type Unparsed,
} from '#jsonrpc';
import { Ends, Pieces } from '../pieces.ts';
import { EventReader } from './event-reader.ts';

/** How reading ended: with everything, because the connection broke, or because it was too much. */
export type Ending = 'complete' | 'cut' | 'oversized';

/** Reads an answer as one piece; `done` is called once, with what there is of it. */
export function readBody(
  response: IncomingMessage,
  maxBytes: number,
  done: (ending: Ending, bytes: Buffer) => void,
): void {
  const body = new Pieces();
  let over = false;
  const finish = (ending: Ending): void => {
    if (over) return;
    over = true;
    done(ending, body.take());
  };
  response.on('data', (chunk: Buffer) => {
    if (over) return;
    body.add(chunk);
    if (body.size <= maxBytes) return;
    finish('oversized');
    response.destroy();
  });
  response.on('end', () => finish('complete'));
  response.on('close', () => finish('cut'));
}

/** Where an event stream can be continued, and how soon. */
export interface Position {
  lastEventId: string | undefined;
  retryMs: number | undefined;
}

export interface EventHandlers {
  readonly limits: Limits;
  readonly position: Position;
  /** Any JSON value; the elements of an array come one by one. */
  readonly value: (value: unknown) => void;
  readonly malformed: Sink['malformed'];
  /** A message is over a limit; only its first and last characters are known. */
  readonly skipped: (fault: Unparsed, head: string, tail: string) => void;
  /** An event came, with or without data; the stream is alive. */
  readonly alive?: () => void;
  /** Takes events that are not messages. */
  readonly other?: (type: string, data: Buffer) => void;
  /** Nothing more will come; called once. */
  readonly over: () => void;
}

/** What some servers say last, in imitation of others. */
const doneMark = '[DONE]';

/** Reads an answer as a stream of messages. */
export function readEvents(response: IncomingMessage, handlers: EventHandlers): void {
  const { position, limits } = handlers;
  let over = false;
  const finish = (): void => {
    if (over) return;
    over = true;
    handlers.over();
  };
  const reader = new EventReader(limits.maxBytes, {
    event: (type, data) => {
      if (over) return;
      handlers.alive?.();
      if (type !== 'message') handlers.other?.(type, data);
      else if (isDone(data)) finish();
      else readEvent(data, handlers);
    },
    position: (id) => {
      position.lastEventId = id;
      handlers.alive?.();
    },
    retry: (ms) => {
      position.retryMs = ms;
    },
    oversized: (head, tail) => {
      if (!over) handlers.skipped(oversized(limits), head, tail);
    },
  });
  response.on('data', (chunk: Buffer) => {
    if (!over) reader.push(chunk);
  });
  response.on('end', () => {
    if (!over) reader.end();
    finish();
  });
  response.on('close', finish);
}

function isDone(data: Buffer): boolean {
  return data.length === doneMark.length && data.toString('latin1') === doneMark;
}

function readEvent(data: Buffer, handlers: EventHandlers): void {
  const parsed = parseMessage(data, handlers.limits);
  if (!parsed.ok) {
    const { head, tail } = new Ends(data);
    if (parsed.code === rpcErrors.invalidRequest) handlers.skipped(parsed, head, tail);
    else handlers.malformed(parsed.code, parsed.reason, head);
  } else if (Array.isArray(parsed.value)) {
    for (const inner of parsed.value) handlers.value(inner);
  } else {
    handlers.value(parsed.value);
  }
}

/** The media type alone, in lower case. */
export function mediaType(response: IncomingMessage): string {
  const value = response.headers['content-type'] ?? '';
  if (value === 'application/json') return value;
  return (value.split(';', 1)[0] ?? '').trim().toLowerCase();
}
