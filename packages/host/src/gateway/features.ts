import { chain, invalidParams, resourceNotFound, type MaybePromise } from 'mcp-kit/internal';
import { listMethod, type Changes, type Context, type Feature, type Handler } from 'mcp-kit/server';
import { legacyTool, type GatewayCatalog } from './catalog.ts';
import type { Views } from './policy/view.ts';

/** What the lists of a gateway are made from. */
export interface Lists {
  catalog(): GatewayCatalog;
  /** Who sees what; without rules, all see the same. */
  readonly views: Views;
  /** Settles when there is something to list; at once where there is. */
  ready(): MaybePromise<void>;
}

/** The lists of a gateway as a feature of a server. */
export interface CatalogFeature extends Feature {
  /** Other lists than before; clients are told of those that differ. */
  changed(before: GatewayCatalog, after: GatewayCatalog): void;
  /** Others may see other lists than before. */
  viewsChanged(): void;
}

const pageSize = 1000;
const same = <T>(item: T): T => item;

/** Serves the lists. What else is asked got here because no server has it. */
export function catalogFeature({ catalog, views, ready }: Lists): CatalogFeature {
  let changes: Changes | undefined;
  const view = (context: Context): string => views.of(context);
  const list = <T extends object>(
    member: string,
    items: (all: GatewayCatalog, seen: string) => readonly T[],
    show: (item: T) => object = same,
  ): ReturnType<typeof listMethod> =>
    listMethod({ member, items: (seen) => items(catalog(), seen), view, show, pageSize });
  const lists = {
    tools: list('tools', views.tools),
    legacyTools: list('tools', views.tools, legacyTool),
    prompts: list('prompts', views.prompts),
    resources: list('resources', views.resources),
    templates: list('resourceTemplates', views.templates),
  };
  const listed =
    ({ handle }: ReturnType<typeof listMethod>): Handler =>
    (params, context) =>
      chain(ready(), () => handle(params, context));
  return {
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
    },
    methods: {
      'tools/list': listed(lists.tools),
      'prompts/list': listed(lists.prompts),
      'resources/list': listed(lists.resources),
      'resources/templates/list': listed(lists.templates),
      'tools/call': ({ name }) => nowhere(`Unknown tool: ${String(name)}`),
      'prompts/get': ({ name }) => nowhere(`Unknown prompt: ${String(name)}`),
      'completion/complete': () => nowhere('Nothing known under this reference'),
      'resources/read': ({ uri }) => {
        throw resourceNotFound(String(uri));
      },
    },
    legacyMethods: {
      'tools/list': listed(lists.legacyTools),
      'resources/subscribe': ({ uri }) => {
        throw resourceNotFound(String(uri));
      },
      'resources/unsubscribe': () => ({}),
    },
    attach: (to) => {
      changes = to;
    },
    mirroredHeaders: (tool) => catalog().headersOf(tool),
    viewsChanged() {
      for (const { forget } of Object.values(lists)) forget();
      for (const kind of ['tools', 'prompts', 'resources'] as const) changes?.listChanged(kind);
    },
    changed(before, after) {
      for (const { forget } of Object.values(lists)) forget();
      const differs = (kind: 'tools' | 'prompts' | 'resources' | 'templates'): boolean =>
        JSON.stringify(before[kind]) !== JSON.stringify(after[kind]);
      if (differs('tools')) changes?.listChanged('tools');
      if (differs('prompts')) changes?.listChanged('prompts');
      if (differs('resources') || differs('templates')) changes?.listChanged('resources');
    },
  };
}

function nowhere(message: string): never {
  throw invalidParams(message);
}
