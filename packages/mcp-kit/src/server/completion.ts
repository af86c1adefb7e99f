import { isRecord, type Params } from '#jsonrpc';
import { invalidParams } from '#protocol';
import type { CompletionRequest, Feature } from './feature.ts';

const maxValues = 100;

/** Joins what the other features can complete into one method; offers nothing when none can. */
export function completionFeature(features: readonly Feature[]): Feature {
  const completers = features.filter((feature) => feature.complete !== undefined);
  if (completers.length === 0) return { capabilities: {}, methods: {} };
  return {
    capabilities: { completions: {} },
    methods: {
      async 'completion/complete'(params, context) {
        const request = readRequest(params);
        for (const feature of completers) {
          const values = await feature.complete?.(request, context);
          if (values !== undefined) return { completion: limited(values) };
        }
        throw invalidParams('Nothing known under this reference', { ref: params['ref'] });
      },
    },
  };
}

function limited(values: readonly string[]): object {
  return {
    values: values.slice(0, maxValues),
    total: values.length,
    hasMore: values.length > maxValues,
  };
}

function readRequest(params: Params): CompletionRequest {
  const { argument, context } = params;
  if (
    !isRecord(argument) ||
    typeof argument['name'] !== 'string' ||
    typeof argument['value'] !== 'string'
  ) {
    throw invalidParams('argument must have a name and a value');
  }
  const filled = isRecord(context) && isRecord(context['arguments']) ? context['arguments'] : {};
  return {
    ref: readRef(params['ref']),
    argument: { name: argument['name'], value: argument['value'] },
    filled: Object.fromEntries(
      Object.entries(filled).filter(
        (entry): entry is [string, string] => typeof entry[1] === 'string',
      ),
    ),
  };
}

function readRef(ref: unknown): CompletionRequest['ref'] {
  if (isRecord(ref)) {
    const { type, name, uri } = ref;
    if (type === 'ref/prompt' && typeof name === 'string') return { type, name };
    if (type === 'ref/resource' && typeof uri === 'string') return { type, uri };
  }
  throw invalidParams('ref must be a ref/prompt with a name or a ref/resource with a uri');
}
