import { KitError } from '../error.ts';

/** Waits; rejects when the signal fires first. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  const { setTimeout: sleep } = process.getBuiltinModule('node:timers/promises');
  try {
    await sleep(ms, undefined, signal && { signal });
  } catch (cause) {
    throw new KitError('aborted', 'given up by the caller', { cause, details: { ran: false } });
  }
}
