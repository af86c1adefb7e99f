import {
  chain,
  invalidParams,
  resourceNotFound,
  type MaybePromise,
  type Tool,
} from 'mcp-kit/internal';
import { listMethod, type Changes, type Feature, type Handler } from 'mcp-kit/server';
import { legacyTool, type GatewayCatalog } from './catalog.ts';

/** What the lists of a gateway are made from. */
export interface Lists {
  catalog(): GatewayCatalog;
  /** Settles when there is something to list; at once where there is. */
  ready(): MaybePromise<void>;
}

/** The lists of a gateway as a feature of a server. */
export interface CatalogFeature extends Feature {
  /** Other lists than before; clients are told of those that differ. */
  changed(before: GatewayCatalog, after: GatewayCatalog): void;
}

const pageSize = 1000;
const same = <T>(item: T): T => item;

/** Serves the lists. What else is asked got here because no server has it. */
export function catalogFeature({ catalog, ready }: Lists): CatalogFeature {
  let changes: Changes | undefined;
  const lists = {
    tools: listMethod({ member: 'tools', items: () => catalog().tools, show: same, pageSize }),
    legacyTools: listMethod({
      member: 'tools',
      items: () => catalog().tools,
      show: (tool: Tool) => legacyTool(tool),
      pageSize,
    }),
    prompts: listMethod({
      member: 'prompts',
      items: () => catalog().prompts,
      show: same,
      pageSize,
    }),
    resources: listMethod({
      member: 'resources',
      items: () => catalog().resources,
      show: same,
      pageSize,
    }),
    templates: listMethod({
      member: 'resourceTemplates',
      items: () => catalog().templates,
      show: same,
      pageSize,
    }),
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
    changed(before, after) {
      for (const list of Object.values(lists)) list.forget();
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
