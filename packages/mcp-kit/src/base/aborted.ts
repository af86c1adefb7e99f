import { KitError } from './error.ts';

/** What a caller who gave something up is told: what it was, and the reason they gave. */
export function abortedBy(subject: string, reason: unknown): KitError {
  const why = reasonIn(reason);
  const message = `${subject}: cancelled by the caller${why === '' ? '' : `: ${why}`}`;
  return new KitError('aborted', message, { cause: reason });
}

/** Who gives no reason gets the platform's, which says nothing. */
function reasonIn(reason: unknown): string {
  if (typeof reason === 'string') return reason;
  return reason instanceof Error && reason.name !== 'AbortError' ? reason.message : '';
}
