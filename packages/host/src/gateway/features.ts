import {
  chain,
  invalidParams,
  resourceNotFound,
  skillsExtension,
  takesTasks,
  tasksExtension,
  type Exchange,
  type MaybePromise,
} from 'mcp-kit/internal';
import { Context, listMethod, type Changes, type Feature, type Handler } from 'mcp-kit/server';
import type { GatewayCatalog } from './catalog.ts';
import type { Disclosed } from './disclosure/disclosure.ts';
import { callOwn, type OwnTool } from './own-tools.ts';
import type { Views } from './policy/view.ts';
import type { ResultReader } from './results/reader.ts';
import { toolLists } from './tool-lists.ts';

/** What the lists of a gateway are made from. */
export interface Lists {
  catalog(): GatewayCatalog;
  /** Who sees what; without rules, all see the same. */
  readonly views: Views;
  /** Settles when there is something to list; at once where there is. */
  ready(): MaybePromise<void>;
  /** What each client sees of the tools. */
  readonly disclosed: Disclosed;
  /** Tools of the gateway itself, by name. */
  readonly own: ReadonlyMap<string, OwnTool>;
  readonly reader: ResultReader;
  /** A page of the skills of all servers. */
  skills(exchange: Exchange): Promise<object>;
  /** The folders of all skills of one server, where that is what is asked for. */
  skillFolders(exchange: Exchange): Promise<object | undefined>;
}

/** The lists of a gateway as a feature of a server. */
export interface CatalogFeature extends Feature {
  /** Other lists than before; clients are told of those that differ. */
  changed(before: GatewayCatalog, after: GatewayCatalog): void;
  /** Others may see other lists than before. */
  viewsChanged(): void;
  /** There is something to read: from now on the tool that reads it is listed. */
  hasKept(): void;
}

const pageSize = 1000;

/** Serves the lists. What else is asked got here because no server has it. */
export function catalogFeature(given: Lists): CatalogFeature {
  const { catalog, views, ready, own, reader } = given;
  let changes: Changes | undefined;
  const tools = toolLists({ ...given, reader: reader.tool, pageSize });
  const list = (
    member: string,
    items: (all: GatewayCatalog, seen: string) => readonly object[],
  ): ReturnType<typeof listMethod> =>
    listMethod({
      member,
      items: (seen) => items(catalog(), seen),
      view: (context) => views.of(context),
      show: (item) => item,
      pageSize,
    });
  const lists = {
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
      extensions: { [skillsExtension]: { directoryRead: true }, [tasksExtension]: {} },
    },
    methods: {
      'tools/list': listed(tools.modern),
      'prompts/list': listed(lists.prompts),
      'resources/list': listed(lists.resources),
      'resources/templates/list': listed(lists.templates),
      'tools/call': (params, context) =>
        callOwn(own, params, context) ?? nowhere(`Unknown tool: ${String(params['name'])}`),
      'prompts/get': ({ name }) => nowhere(`Unknown prompt: ${String(name)}`),
      'skills/list': (_params, context) => given.skills(Context.exchangeOf(context)),
      'skills/get': ({ uri }) => nowhere(`No skill is served at ${String(uri)}`),
      'resources/directory/read': async ({ uri }, context) =>
        (await given.skillFolders(Context.exchangeOf(context))) ??
        nowhere(`${String(uri)} is not a directory resource`),
      ...unknownTasks,
      'completion/complete': () => nowhere('Nothing known under this reference'),
      'resources/read': async ({ uri }, context) => {
        const kept = await reader.resource(uri, Context.exchangeOf(context));
        if (kept === undefined) throw resourceNotFound(String(uri));
        return kept;
      },
    },
    legacyMethods: {
      'tools/list': listed(tools.legacy),
      'resources/subscribe': ({ uri }) => {
        throw resourceNotFound(String(uri));
      },
      'resources/unsubscribe': () => ({}),
    },
    attach: (to) => {
      changes = to;
    },
    mirroredHeaders: (tool) => catalog().headersOf(tool),
    hasKept: () => tools.hasKept(changes),
    viewsChanged() {
      for (const one of [tools, ...Object.values(lists)]) one.forget();
      for (const kind of ['tools', 'prompts', 'resources'] as const) changes?.listChanged(kind);
    },
    changed(before, after) {
      for (const one of Object.values(lists)) one.forget();
      const differs = (kind: 'tools' | 'prompts' | 'resources' | 'templates'): boolean =>
        before.hash !== after.hash && JSON.stringify(before[kind]) !== JSON.stringify(after[kind]);
      tools.changed(differs('tools'), changes);
      if (differs('prompts')) changes?.listChanged('prompts');
      if (differs('resources') || differs('templates')) changes?.listChanged('resources');
    },
  };
}

const noSuchTask: Handler = (_params, context) => {
  context.requireClient(takesTasks);
  return nowhere('Unknown task: there is none, it has expired, or it is not yours');
};

const unknownTasks = {
  'tasks/get': noSuchTask,
  'tasks/update': noSuchTask,
  'tasks/cancel': noSuchTask,
};

function nowhere(message: string): never {
  throw invalidParams(message);
}
