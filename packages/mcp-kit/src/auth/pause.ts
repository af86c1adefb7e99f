import { setTimeout as sleep } from 'node:timers/promises';
import { KitError } from '#base';

/** Waits; rejects when the signal fires first. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal && { signal });
  } catch (cause) {
    throw new KitError('aborted', 'given up by the caller', { cause, details: { ran: false } });
  }
}
