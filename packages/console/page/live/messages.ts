import { useEffect, useState } from 'react';
import { ask } from '../api.ts';
import type { Row } from '../rows.ts';

/** A message as it crossed, without secrets. */
export interface WholeMessage {
  readonly row: Row;
  readonly message?: unknown;
}

/** Fetches the message of a row; an error where it is not kept any more. */
export function useMessage(seq: number): WholeMessage | Error | undefined {
  const [found, setFound] = useState<WholeMessage | Error>();
  useEffect(() => {
    let isWanted = true;
    ask<WholeMessage>('message', { seq }).then(
      (message) => isWanted && setFound(message),
      (error: unknown) =>
        isWanted && setFound(error instanceof Error ? error : new Error(String(error))),
    );
    return () => {
      isWanted = false;
    };
  }, [seq]);
  return found;
}
