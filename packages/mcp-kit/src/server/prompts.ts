import { isPromise, KitError, type MaybePromise } from '#base';
import { isRecord, type Params } from '#jsonrpc';
import {
  invalidParams,
  type GetPromptResult,
  type Prompt,
  type PromptArgument,
  type PromptMessage,
} from '#protocol';
import type { Context } from './context.ts';
import type { Changes, Feature } from './feature.ts';
import { listMethod } from './list.ts';

type PromptArguments = Readonly<Record<string, string>>;

/** Suggests values for what has been typed so far. */
export type Complete = (
  value: string,
  filled: PromptArguments,
  context: Context,
) => MaybePromise<readonly string[]>;

/** A prompt: what it takes, and how it is made. */
export interface PromptDefinition extends Omit<Prompt, 'arguments'> {
  readonly arguments?: readonly (PromptArgument & { readonly complete?: Complete })[] | undefined;
  /** Returns the messages; a string is one message of the user. */
  get(
    args: PromptArguments,
    context: Context,
  ): MaybePromise<string | readonly PromptMessage[] | GetPromptResult>;
}

/** Types a prompt. */
export function definePrompt(definition: PromptDefinition): PromptDefinition {
  return definition;
}

/** Prompts as a server feature; adding and removing tells the clients. */
export interface PromptSet extends Feature {
  add(prompt: PromptDefinition): void;
  remove(name: string): boolean;
}

/** Makes a feature of prompts. */
export function prompts(
  definitions: readonly PromptDefinition[],
  options: { readonly pageSize?: number | undefined } = {},
): PromptSet {
  const registry = new Map<string, PromptDefinition>();
  let changes: Changes | undefined;
  const list = listMethod({
    member: 'prompts',
    items: () => [...registry.values()],
    show: showPrompt,
    pageSize: options.pageSize ?? 1000,
  });
  const changed = (): void => {
    list.forget();
    changes?.listChanged('prompts');
  };
  const set: PromptSet = {
    capabilities: { prompts: { listChanged: true } },
    methods: {
      'prompts/list': list.handle,
      'prompts/get': (params, context) => get(registry, params, context),
    },
    attach: (to) => {
      changes = to;
    },
    complete({ ref, argument, filled }, context) {
      if (ref.type !== 'ref/prompt') return undefined;
      const known = registry.get(ref.name)?.arguments?.find(({ name }) => name === argument.name);
      return known && (known.complete?.(argument.value, filled, context) ?? []);
    },
    add(prompt) {
      if (registry.has(prompt.name)) {
        throw new KitError('invalid_argument', `prompt ${prompt.name} is defined twice`);
      }
      registry.set(prompt.name, prompt);
      changed();
    },
    remove(name) {
      const removed = registry.delete(name);
      if (removed) changed();
      return removed;
    },
  };
  for (const definition of definitions) set.add(definition);
  return set;
}

function showPrompt({ get: _get, arguments: args, ...prompt }: PromptDefinition): object {
  return { ...prompt, arguments: args?.map(({ complete: _complete, ...shown }) => shown) };
}

function get(
  registry: ReadonlyMap<string, PromptDefinition>,
  params: Params,
  context: Context,
): MaybePromise<object> {
  const { name } = params;
  if (typeof name !== 'string') throw invalidParams('name must be a string: the prompt to get');
  const prompt = registry.get(name);
  if (prompt === undefined) throw invalidParams(`Unknown prompt: ${name}`);
  const got = prompt.get(readArguments(prompt, params['arguments'] ?? {}), context);
  return isPromise(got) ? got.then((value) => toResult(prompt, value)) : toResult(prompt, got);
}

function readArguments(prompt: PromptDefinition, args: unknown): PromptArguments {
  if (!isRecord(args)) throw invalidParams('arguments must be an object');
  for (const [name, value] of Object.entries(args)) {
    if (typeof value !== 'string') throw invalidParams(`Argument ${name} must be a string`);
  }
  for (const { name, required } of prompt.arguments ?? []) {
    if (required === true && !Object.hasOwn(args, name)) {
      throw invalidParams(`Argument ${name} of prompt ${prompt.name} is missing`);
    }
  }
  // Every value was checked to be a string.
  return args as PromptArguments;
}

function toResult(
  { description }: PromptDefinition,
  got: string | readonly PromptMessage[] | GetPromptResult,
): object {
  if (typeof got === 'string') {
    return { description, messages: [{ role: 'user', content: { type: 'text', text: got } }] };
  }
  return 'messages' in got ? { description, ...got } : { description, messages: got };
}
