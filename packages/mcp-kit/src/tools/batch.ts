import type { MaybePromise } from '#base';
import { RpcError } from '#jsonrpc';
import type { JsonSchema } from '#protocol';
import { InputNeeded, type Context } from '#server';
import { knownFailure } from './call.ts';
import { fail, failureSchema, type Failure } from './failure.ts';

/** Many writes as one. */
export interface Batch<Item, Value> {
  readonly items: readonly Item[];
  /** How the report names an item. */
  readonly name: (item: Item) => string;
  /** Does one item. Throw `fail(…)` when it cannot be done. */
  readonly work: (item: Item) => MaybePromise<Value>;
  /** After a failure: `stop` leaves the rest undone, `continue` (the default) goes on. */
  readonly onError?: 'stop' | 'continue' | undefined;
  /** Gives the items spans, and stops when nobody waits any more. */
  readonly context?: Context | undefined;
  /** Hears of what is thrown that is no failure: a bug. */
  readonly onBug?: ((error: unknown, item: Item) => void) | undefined;
}

/** What became of each item, in order. */
export interface BatchReport<Value> {
  readonly succeeded: readonly { readonly item: string; readonly value: Value }[];
  readonly failed: readonly { readonly item: string; readonly error: Failure }[];
  readonly skipped: readonly { readonly item: string; readonly reason: string }[];
}

/** Does items one after the other, and says of each what became of it. */
export async function runBatch<Item, Value>(
  batch: Batch<Item, Value>,
): Promise<BatchReport<Value>> {
  const { items, name, work, onError = 'continue', context, onBug } = batch;
  const succeeded: { item: string; value: Value }[] = [];
  const failed: { item: string; error: Failure }[] = [];
  const skipped: { item: string; reason: string }[] = [];
  let stopped: string | undefined;
  for (const item of items) {
    const named = name(item);
    if (context?.signal.aborted === true) stopped ??= 'the call was given up';
    if (stopped !== undefined) {
      skipped.push({ item: named, reason: stopped });
      continue;
    }
    try {
      const value = await (context === undefined
        ? work(item)
        : context.span(named, () => work(item)));
      succeeded.push({ item: named, value });
    } catch (error) {
      // These are no outcome of the item.
      if (error instanceof RpcError || error instanceof InputNeeded) throw error;
      const known = knownFailure(error);
      if (known === undefined) onBug?.(error, item);
      // What was done before a bug must still be told, so a bug is the failure of its item.
      failed.push({ item: named, error: known ?? fail('E_INTERNAL', 'Internal error').failure });
      if (onError === 'stop') stopped = `${named} failed`;
    }
  }
  return { succeeded, failed, skipped };
}

/** The schema of a report, for the output of a tool. */
export function batchSchema(
  value: JsonSchema = {},
): Readonly<Record<keyof BatchReport<unknown>, JsonSchema>> {
  const text = { type: 'string' };
  const listOf = (name: string, schema: JsonSchema): JsonSchema => ({
    type: 'array',
    items: {
      type: 'object',
      properties: { item: text, [name]: schema },
      required: name === 'value' ? ['item'] : ['item', name],
    },
  });
  return {
    succeeded: listOf('value', value),
    failed: listOf('error', failureSchema),
    skipped: listOf('reason', text),
  };
}
