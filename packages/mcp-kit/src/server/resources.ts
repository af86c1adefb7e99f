import { Buffer } from 'node:buffer';
import { isPromise, KitError, type MaybePromise } from '#base';
import {
  parseUriTemplate,
  type Resource,
  type ResourceContents,
  type ResourceTemplate,
  type UriTemplate,
} from '#protocol';
import type { Context } from './context.ts';
import type { Changes, CompletionRequest, Feature } from './feature.ts';
import type { Complete } from './prompts.ts';

/** What reading gives: text, bytes, or whole contents. Nothing means: there is no such resource. */
export type ReadResult = string | Uint8Array | readonly ResourceContents[] | undefined;

/** A resource at a fixed URI, and how it is read. */
export interface ResourceDefinition extends Resource {
  read(context: Context): MaybePromise<ReadResult>;
}

/** Resources at all URIs of a template, and how they are read. */
export interface ResourceTemplateDefinition extends ResourceTemplate {
  /** Suggests values for variables, by name. */
  readonly complete?: Readonly<Record<string, Complete>> | undefined;
  read(
    variables: Readonly<Record<string, string>>,
    context: Context,
    uri: string,
  ): MaybePromise<ReadResult>;
}

/** Types a resource. */
export function defineResource(definition: ResourceDefinition): ResourceDefinition {
  return definition;
}

/** Types a template of resources. */
export function defineResourceTemplate(
  definition: ResourceTemplateDefinition,
): ResourceTemplateDefinition {
  return definition;
}

/** Resources as a server feature; adding, removing and updating tells the clients. */
export interface ResourceSet extends Feature {
  add(resource: ResourceDefinition): void;
  remove(uri: string): boolean;
  /** The content behind a URI has changed. */
  updated(uri: string): void;
}

interface Matched {
  readonly definition: ResourceTemplateDefinition;
  readonly template: UriTemplate;
}

/** Makes a feature of resources and templates. */
export function resources(options: {
  readonly resources?: readonly ResourceDefinition[] | undefined;
  readonly templates?: readonly ResourceTemplateDefinition[] | undefined;
  readonly pageSize?: number | undefined;
}): ResourceSet {
  const { pageSize } = options;
  const registry = new Map<string, ResourceDefinition>();
  const templates: readonly Matched[] = (options.templates ?? []).map((definition) => ({
    definition,
    template: parseUriTemplate(definition.uriTemplate),
  }));
  let changes: Changes | undefined;
  const changed = (): void => changes?.listChanged('resources');
  const set: ResourceSet = {
    capabilities: { resources: { subscribe: true, listChanged: true } },
    methods: {},
    resources: {
      pageSize,
      list: () => Array.from(registry.values(), ({ read: _read, ...resource }) => resource),
      templates: () =>
        templates.map(
          ({ definition: { read: _read, complete: _complete, ...template } }) => template,
        ),
      read(uri, context) {
        const found = find(registry, templates, uri);
        if (found === undefined) return undefined;
        const got = found.read(context);
        const finish = (value: ReadResult): object | undefined =>
          toResult(uri, found.mimeType, value);
        return isPromise(got) ? got.then(finish) : finish(got);
      },
    },
    attach: (to) => {
      changes = to;
    },
    complete: (request, context) => complete(templates, request, context),
    add(resource) {
      if (registry.has(resource.uri)) {
        throw new KitError('invalid_argument', `resource ${resource.uri} is defined twice`);
      }
      registry.set(resource.uri, resource);
      changed();
    },
    remove(uri) {
      const removed = registry.delete(uri);
      if (removed) changed();
      return removed;
    },
    updated: (uri) => changes?.resourceUpdated(uri),
  };
  for (const resource of options.resources ?? []) set.add(resource);
  return set;
}

function find(
  registry: ReadonlyMap<string, ResourceDefinition>,
  templates: readonly Matched[],
  uri: string,
):
  | { readonly mimeType: string | undefined; read(context: Context): MaybePromise<ReadResult> }
  | undefined {
  const fixed = registry.get(uri);
  if (fixed !== undefined)
    return { mimeType: fixed.mimeType, read: (context) => fixed.read(context) };
  for (const { definition, template } of templates) {
    const variables = template.match(uri);
    if (variables === undefined) continue;
    return {
      mimeType: definition.mimeType,
      read: (context) => definition.read(variables, context, uri),
    };
  }
  return undefined;
}

function toResult(uri: string, mimeType: string | undefined, got: ReadResult): object | undefined {
  if (got === undefined) return undefined;
  if (typeof got === 'string') return { contents: [{ uri, mimeType, text: got }] };
  if (got instanceof Uint8Array) {
    return { contents: [{ uri, mimeType, blob: Buffer.from(got).toString('base64') }] };
  }
  return { contents: got };
}

function complete(
  templates: readonly Matched[],
  { ref, argument, filled }: CompletionRequest,
  context: Context,
): MaybePromise<readonly string[]> | undefined {
  if (ref.type !== 'ref/resource') return undefined;
  const known = templates.find(({ definition }) => definition.uriTemplate === ref.uri);
  if (known === undefined) return undefined;
  const { complete: completers = {} } = known.definition;
  const completer = Object.hasOwn(completers, argument.name)
    ? completers[argument.name]
    : undefined;
  return completer?.(argument.value, filled, context) ?? [];
}
