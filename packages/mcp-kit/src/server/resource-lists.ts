import { chain, type MaybePromise } from '#base';
import { invalidParams, resourceNotFound } from '#protocol';
import type { Context } from './context.ts';
import type { Feature, ResourceSource } from './feature.ts';
import { listMethod } from './list.ts';

/** The resources of all features as one, and what makes them be listed anew. */
interface ResourceLists {
  readonly methods: Feature['methods'];
  forget(): void;
}

const defaultPageSize = 1000;

/** Joins the resources of features: lists all, and reads from the first that has what is asked for. */
export function resourceLists(features: readonly Feature[]): ResourceLists {
  const sources = features.flatMap(({ resources }) => resources ?? []);
  if (sources.length === 0) return { methods: {}, forget() {} };
  const pageSize = Math.min(...sources.map((one) => one.pageSize ?? defaultPageSize));
  const show = (item: object): object => item;
  const list = listMethod({
    member: 'resources',
    items: () => sources.flatMap((source) => source.list()),
    show,
    pageSize,
  });
  const templates = listMethod({
    member: 'resourceTemplates',
    items: () => sources.flatMap((source) => source.templates?.() ?? []),
    show,
    pageSize,
  });
  const waiting = sources.flatMap(({ ready }) => ready ?? []);
  const ready = (): MaybePromise<unknown> =>
    waiting.length === 0 ? undefined : Promise.all(waiting.map((wait) => wait()));
  return {
    methods: {
      'resources/list': (params, context) => chain(ready(), () => list.handle(params, context)),
      'resources/templates/list': templates.handle,
      'resources/read': ({ uri }, context) => {
        if (typeof uri !== 'string') throw invalidParams('uri must be a string');
        return read(uri, context, sources);
      },
    },
    forget: () => list.forget(),
  };
}

function read(
  uri: string,
  context: Context,
  [source, ...others]: readonly ResourceSource[],
): MaybePromise<object> {
  if (source === undefined) throw resourceNotFound(uri);
  return chain(source.read(uri, context), (result) => result ?? read(uri, context, others));
}
