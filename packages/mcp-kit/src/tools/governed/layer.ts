import { isPromise, KitError, type Logger, type MaybePromise } from '#base';
import { toFailure } from '../call.ts';
import type { Outcome } from '../contract/contract.ts';
import type { Entry } from '../entry.ts';
import { fail, ToolFailure } from '../failure.ts';
import type { CallScope } from './call-scope.ts';

/** Serves a call of one tool: ends with a value or a failure, or throws what is meant for the protocol. */
export type Handle = (call: CallScope) => MaybePromise<Outcome>;

/** A layer around the calls of a tool. It gets the next one inward and returns one of the same kind, or just the next one. */
export type Wrap = (next: Handle, entry: Entry) => Handle;

/** The layers every governed call passes, from the outside in. `run` is the tool itself. */
export const layerOrder = [
  'limit',
  'validate',
  'permission',
  'timeout',
  'idempotency',
  'dry run',
  'run',
] as const;

type LayerName = (typeof layerOrder)[number];

/** A layer of your own. */
export interface Layer {
  /** What traces call it. */
  readonly name: string;
  /** The layer it goes around; the tool itself when absent. */
  readonly before?: LayerName | undefined;
  readonly wrap: Wrap;
}

/** Puts layers of one's own between the standard ones; those with the same place keep their order. */
export function orderLayers(
  standard: Readonly<Record<LayerName, Wrap>>,
  own: readonly Layer[],
): readonly Layer[] {
  const unknown = own.find(({ before = 'run' }) => !layerOrder.includes(before));
  if (unknown !== undefined) {
    throw new KitError(
      'invalid_argument',
      `layer ${unknown.name}: there is no layer "${unknown.before}" to go before`,
      { hint: `Use one of ${layerOrder.join(', ')}.` },
    );
  }
  return layerOrder.flatMap((name) => [
    ...own.filter(({ before = 'run' }) => before === name),
    { name, wrap: standard[name] },
  ]);
}

/** Makes one function of all layers of a tool; a layer with nothing to do for it costs nothing. */
export function stackLayers(layers: readonly Layer[], entry: Entry): Handle {
  const innermost: Handle = () => {
    throw new KitError('invalid_argument', 'the innermost layer must not go further');
  };
  return layers.reduceRight<Handle>((next, { name, wrap }) => {
    const handle = wrap(next, entry);
    if (handle === next) return next;
    const phase = phaseOf(name, entry);
    if (phase === undefined) return handle;
    return (call) => {
      call.phase(phase);
      return handle(call);
    };
  }, innermost);
}

/** What a trace calls the time spent in a layer before it goes further; nothing for one that has no work of its own. */
function phaseOf(name: string, { tool }: Entry): string | undefined {
  const plans = tool.plan !== undefined;
  switch (name) {
    case 'timeout':
    case 'idempotency':
      return undefined;
    case 'dry run':
      return plans ? 'plan' : undefined;
    case 'run':
      return plans ? 'apply' : 'run';
    default:
      return name;
  }
}

/** The same, with every failure and every bug as an outcome; what is meant for the protocol is still thrown. */
export function guard(handle: Handle, logger: Logger): Handle {
  return (call) => {
    try {
      const outcome = handle(call);
      return isPromise(outcome)
        ? outcome.catch((error: unknown) => failed(error, call, logger))
        : outcome;
    } catch (error) {
      return failed(error, call, logger);
    }
  };
}

function failed(error: unknown, call: CallScope, logger: Logger): Outcome {
  // Whatever a tool throws when it is told that its time is up, that is the reason.
  const late = call.expired && !(error instanceof ToolFailure);
  return toFailure(late ? fail('E_TIMEOUT', 'The time for the call is up.') : error, call, logger);
}
