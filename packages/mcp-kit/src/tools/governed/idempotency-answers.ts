import type { Outcome } from '../contract/contract.ts';
import { fail, type ToolFailure } from '../failure.ts';

/** What may have been done in part is not tried again under its key: so it is no longer worth asking. */
export function settled(outcome: Outcome): Outcome {
  if (outcome.ok) return outcome;
  const suggestion =
    'It may have been done in part. Look at the present state. If it is still to be done, use a new key.';
  return { ok: false, failure: { ...outcome.failure, retryable: false, suggestion } };
}

/** What a call has come to when what it did was taken back: nothing of it is there any more. */
export const undone: Outcome = {
  ok: false,
  failure: fail('E_CONFLICT', 'What was done under this idempotencyKey has been undone since.', {
    suggestion: 'To do it again, use a new key.',
  }).failure,
};

/** What is said while another call has the key. */
export function inProgress(): ToolFailure {
  return fail('E_CONFLICT', 'A call with this idempotencyKey is under way.', {
    retryable: true,
    suggestion: 'Wait a moment and ask again with the same key.',
  });
}

/** What is said of a key whose call was never heard of again; `found` is what this one has run into. */
export function outcomeUnknown(found?: object): ToolFailure {
  return fail(
    'E_CONFLICT',
    'An earlier call with this idempotencyKey broke off, and it is not known whether it took effect.',
    {
      suggestion: 'Look at the present state. If it is still to be done, use a new key.',
      // The codes are a closed set, which clients have by heart.
      details: { reason: 'outcome_unknown', found },
    },
  );
}
