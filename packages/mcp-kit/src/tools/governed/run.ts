import { chain, KitError, type MaybePromise } from '#base';
import type { ContentBlock } from '#protocol';
import { checkOutput, checkValue, shownValue, textBlock } from '../call.ts';
import { Applied, describeChanges, failedOf, type Change } from '../changes.ts';
import type { Entry } from '../entry.ts';
import { fail } from '../failure.ts';
import { isWriting, riskOf } from '../manifest/manifest.ts';
import type { Outcome } from '../contract/contract.ts';
import type { CallScope } from './call-scope.ts';
import type { Wrap } from './layer.ts';

/** The tool itself: `run`, or `apply` with the plan that was made. */
export const runLayer: Wrap = (_next, entry) => {
  const { tool } = entry;
  if (tool.plan === undefined && !isWriting(entry)) return runTool;
  const write = tool.plan === undefined ? runTool : applyPlan;
  return (call) => {
    refuseLate(call);
    // One that commits says itself when something is about to be changed.
    if (call.beforeApply === undefined || tool.commits === true) return write(call);
    return chain(call.beforeApply(call.plan), () => write(call));
  };
};

/** Whoever has been told that nothing was changed must be able to rely on it. */
function refuseLate(call: CallScope): void {
  if (call.abandoned) throw fail('E_TIMEOUT', 'It was given up before anything was changed.');
}

function runTool({ entry, args, context }: CallScope): MaybePromise<Outcome> {
  // What the input schema let through is what `run` takes.
  const value = entry.tool.run(args as never, context);
  return chain(value, (settled) => checkOutput(entry, settled));
}

function applyPlan(call: CallScope): MaybePromise<Outcome> {
  const { entry, context, plan } = call;
  if (entry.tool.resumable !== true) call.noQuestions = mustNotAsk(entry.tool.name);
  call.outcomeOf = (output) => conclude(call, output);
  // What `plan` returned is what `apply` takes.
  const returned = entry.tool.apply?.(plan as never, context);
  return chain(returned, (settled) => conclude(call, settled));
}

/** In the modern era a question ends the handler, which runs again with the answer: what it did would be done twice. */
function mustNotAsk(name: string): KitError {
  return new KitError('invalid_argument', `${name}: apply must not ask`, {
    hint: 'Ask in plan, which touches nothing; or say resumable: true where apply can run again.',
  });
}

/** What a write answers: the tool's own value, what was changed, and how bad a mistake would be. */
function conclude({ entry, plan }: CallScope, returned: unknown): MaybePromise<Outcome> {
  const changes = returned instanceof Applied ? returned.changes : (plan?.changes ?? []);
  const value = returned instanceof Applied ? returned.output : returned;
  const riskLevel = riskOf(plan ?? {}, entry.tool);
  return chain(ownOutput(entry, value), (output) => ({
    ok: true,
    value: { ...output, changes, riskLevel },
    shown: { content: contentOf(entry, changes, output) },
  }));
}

function ownOutput({ output }: Entry, value: unknown): MaybePromise<object> {
  if (output === undefined) return typeof value === 'object' && value !== null ? value : {};
  return chain(output.check(value), (checked) => Object(checkValue(checked)) as object);
}

const doneOf = (changes: readonly Change[]): string =>
  changes.length === 0 ? 'Nothing had to be changed.' : `Done: ${describeChanges(changes)}.`;

function contentOf(
  entry: Entry,
  changes: readonly Change[],
  output: object,
): readonly ContentBlock[] {
  const failed = failedOf(output);
  const failing = failed === '' ? '' : `Not all was done, ${failed} failed. `;
  const done = `${failing}${doneOf(changes)}`;
  if (Object.keys(output).length === 0) return [textBlock(done)];
  const shown = shownValue(entry, output);
  const [first, ...others] = shown;
  return first?.type === 'text'
    ? [textBlock(`${done}\n${first.text}`), ...others]
    : [textBlock(done), ...shown];
}
