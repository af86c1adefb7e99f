import {
  canonicalJson,
  chain,
  crypto,
  describeError,
  isPromise,
  KitError,
  type Logger,
  type MaybePromise,
} from '#base';
import type { Values } from '#store';
import { describeChanges, failedOf, faultOfPlan, stateOf, type Plan } from '../changes.ts';
import type { Tool } from '../tool.ts';
import { fail, ToolFailure } from '../failure.ts';
import { isWriting, riskOf, traitsOf } from '../manifest/manifest.ts';
import { textBlock } from '../call.ts';
import type { Outcome } from '../contract/contract.ts';
import type { CallScope } from './call-scope.ts';
import { cannotBeKept, digest, placeOf } from './idempotency-record.ts';
import type { Handle, Wrap } from './layer.ts';
import type { OpenedToken, PlanBinding, PlanTokens } from './plan-token.ts';

/** Which tools are only done after a dry run: those that destroy, those that write, or none. */
export type PlanPolicy = 'never' | 'destructive' | 'writing';

interface DryRunOptions {
  readonly tokens: PlanTokens;
  readonly requirePlan: PlanPolicy;
  /** Remembers which plans have been applied. */
  readonly store: { readonly kv: Values };
  readonly logger: Logger;
}

/** Plans every write; a dry run ends with the plan, anything else goes on to apply exactly that. */
export function dryRunLayer(options: DryRunOptions): Wrap {
  return (next, entry) => {
    const { tool } = entry;
    const required = isRequired(options.requirePlan, tool);
    if (tool.plan === undefined) {
      if (!isWriting(entry)) return next;
      if (required) throw planMissing(tool);
      return refusingDryRun(next, tool);
    }
    const plan = planner(tool);
    return (call) => {
      const { dryRun, planToken } = call.control;
      const binding = { tool: tool.name, args: call.own, principal: call.context.principal };
      if (dryRun) {
        // One for all rounds of questions: the names that the plan gives are derived from it.
        const drawn = call.context.once('plan nonce', () => options.tokens.newNonce());
        return chain(drawn, (nonce) => {
          call.seed = nonce;
          return chain(plan(call), (made) =>
            preview(made, { call, tool, binding, nonce, options }),
          );
        });
      }
      if (planToken === undefined) {
        if (required) throw planRequired(tool.name);
        return chain(plan(call), (made) => proceed(made, call, next));
      }
      const token = opened(planToken, binding, options.tokens);
      call.seed = token.nonce;
      return chain(replan(plan, call), (made) => {
        if (!token.matches(digestOf(made))) throw refusedPlan('stale');
        // All rounds of questions are one use.
        const used = call.context.once('plan used', () => useOnce(token, call, options));
        return chain(used, () => proceed(made, call, next));
      });
    };
  };
}

function refusingDryRun(next: Handle, tool: Tool): Handle {
  return (call) => {
    if (call.control.dryRun || call.control.planToken !== undefined) {
      throw fail('E_PRECONDITION_FAILED', `${tool.name} cannot be tried: it has no dry run.`, {
        suggestion: 'Nothing was done. Leave dryRun out to do it for good.',
      });
    }
    return next(call);
  };
}

function planner(tool: Tool): (call: CallScope) => MaybePromise<Plan> {
  return ({ args, context }) => {
    // What the input schema let through is what `plan` takes.
    const planned = tool.plan?.(args as never, context);
    return chain(planned as MaybePromise<Plan>, (made) => {
      const fault = faultOfPlan(made);
      if (fault !== undefined) throw new Error(`the plan of ${tool.name} is wrong: ${fault}`);
      return made;
    });
  };
}

/** Makes a plan once more: where that is no longer possible, the state has moved. */
function replan(
  plan: (call: CallScope) => MaybePromise<Plan>,
  call: CallScope,
): MaybePromise<Plan> {
  const failed = (error: unknown): never => {
    if (!(error instanceof ToolFailure) || error.failure.retryable) throw error;
    const { code, message } = error.failure;
    throw refusedPlan('stale', { code, message });
  };
  try {
    const made = plan(call);
    return isPromise(made) ? made.catch(failed) : made;
  } catch (error) {
    return failed(error);
  }
}

function proceed(plan: Plan, call: CallScope, next: Handle): MaybePromise<Outcome> {
  call.plan = plan;
  return next(call);
}

/** What two plans have in common that would do the same to the same state. */
export function digestOf(plan: Plan): string {
  const { changes } = plan;
  return crypto().hash('sha256', canonicalJson([changes, stateOf(plan)]), 'base64url');
}

function preview(
  plan: Plan,
  made: {
    readonly call: CallScope;
    readonly tool: Tool;
    readonly binding: PlanBinding;
    readonly nonce: string;
    readonly options: DryRunOptions;
  },
): Outcome {
  const { call, tool, binding, nonce, options } = made;
  const { changes, shown, summary = `It would ${describeChanges(changes)}.` } = plan;
  const riskLevel = riskOf(plan, tool);
  const { token: planToken, expiresAt } = options.tokens.seal({
    binding,
    nonce,
    digest: digestOf(plan),
  });
  const failed = failedOf(shown ?? {});
  const failing = failed === '' ? '' : `Not all can be done, ${failed} would fail. `;
  const orKey = call.control.idempotencyKey === undefined ? '' : ' or this idempotencyKey';
  const text =
    `Dry run, nothing was changed. ${failing}${summary} Risk: ${riskLevel}. ` +
    `To do exactly this, call ${tool.name} with the same arguments and planToken "${planToken}".` +
    (changes.some(({ type }) => type === 'create')
      ? ` Without it${orKey}, what is new gets other ids.`
      : '');
  const value = { ...shown, dryRun: true, changes, riskLevel, planToken, expiresAt };
  return { ok: true, value, shown: { content: [textBlock(text)] } };
}

function isRequired(policy: PlanPolicy, tool: Tool): boolean {
  return (
    policy === 'writing' || (policy === 'destructive' && traitsOf(tool).safety === 'destructive')
  );
}

/** What can never be done as it must be is the mistake of whoever put the set together. */
function planMissing(tool: Tool): KitError {
  const { safety } = traitsOf(tool);
  return new KitError('invalid_argument', `tool ${tool.name} is ${safety}, and has no plan`, {
    hint: 'The set requires one (requirePlan). Give the tool plan and apply, or say what its safety is.',
  });
}

function planRequired(name: string): ToolFailure {
  return fail('E_PRECONDITION_FAILED', `${name} is only done after a dry run.`, {
    suggestion: 'Call it with dryRun: true, then again with the planToken of that answer.',
  });
}

const refusals = {
  unknown:
    'it was changed, or made for another tool, other arguments or another caller, or by another process',
  expired: 'it has expired',
  stale: 'what it was made from has changed since',
  used: 'it has been used already',
} as const;

function refusedPlan(reason: keyof typeof refusals, found?: object): ToolFailure {
  return fail('E_CONFLICT', `The plan cannot be applied: ${refusals[reason]}.`, {
    suggestion: 'Nothing was done. Make another dry run and look at what it says.',
    details: found === undefined ? { reason } : { reason, found },
  });
}

function opened(planToken: string, binding: PlanBinding, tokens: PlanTokens): OpenedToken {
  const token = tokens.open(planToken, binding);
  if (token === undefined) throw refusedPlan('unknown');
  if (token === 'expired') throw refusedPlan('expired');
  return token;
}

/**
 * A plan is applied once, also where doing so leaves no mark on what it was made from. Under an idempotency key that
 * means once by the call with this key, however often it is tried.
 */
async function useOnce(token: OpenedToken, call: CallScope, options: DryRunOptions): Promise<void> {
  const { store, logger } = options;
  const { kv } = store;
  const { nonce, expiresMs } = token;
  const { idempotencyKey } = call.control;
  const user = idempotencyKey === undefined ? 'used' : `used by ${digest(idempotencyKey)}`;
  const ttlMs = Math.max(1, expiresMs - Date.now()) + 1000;
  const at = placeOf('plan', call.account, nonce);
  const isOwn = async (): Promise<boolean> => {
    if (await kv.cas(at, undefined, user, { ttlMs })) return true;
    return idempotencyKey !== undefined && (await kv.get(at)) === user;
  };
  const granted = await isOwn().catch((error: unknown) => {
    logger.error('plans: the store failed', { traceId: call.traceId, error: describeError(error) });
    throw cannotBeKept(error, 'used plans');
  });
  if (!granted) throw refusedPlan('used');
}
