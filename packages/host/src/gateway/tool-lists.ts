import { isVisibleTo, showsApps, type ClientView, type Tool } from 'mcp-kit/internal';
import { listMethod, type Changes, type Context } from 'mcp-kit/server';
import { legacyTool, type GatewayCatalog } from './catalog.ts';
import type { Disclosed } from './disclosure/disclosure.ts';
import type { Views } from './policy/view.ts';

type ListMethod = ReturnType<typeof listMethod>;

/** The lists of tools that clients see, by client and era. */
export interface ToolLists {
  readonly modern: ListMethod;
  readonly legacy: ListMethod;
  /** Makes them anew. */
  forget(): void;
  /** Tells those clients whose list is another one now. */
  changed(isDifferent: boolean, changes: Changes | undefined): void;
  /** There is something to read: from now on the tool that reads it is listed. */
  hasKept(changes: Changes | undefined): void;
}

/** What these lists are made from. */
export interface ToolListParts {
  catalog(): GatewayCatalog;
  readonly disclosed: Disclosed;
  /** Who sees which of the tools. */
  readonly views: Views;
  /** The tool that reads what is kept. */
  readonly reader: Tool;
  readonly pageSize: number;
}

/** How views begin of those who see the small set; then comes what they can find. */
const small = 'search ';

/** How views begin of those who show apps. */
const withApps = 'apps ';

export function toolLists({
  catalog,
  disclosed,
  views,
  reader,
  pageSize,
}: ToolListParts): ToolLists {
  let isKeeping = false;
  /** What those who see the small set can find: there are few such views. */
  const findable = new Set(['']);
  const smallSet = (seen: string): readonly Tool[] =>
    disclosed.tools(views.tools(catalog(), seen).filter((tool) => isVisibleTo('model', tool)));
  const shown = {
    member: 'tools',
    items: (view: string): readonly Tool[] => {
      if (view.startsWith(small)) return smallSet(view.slice(small.length));
      const isForApps = view.startsWith(withApps);
      const all = views.tools(catalog(), isForApps ? view.slice(withApps.length) : view);
      const tools = isForApps ? all : all.filter((tool) => isVisibleTo('model', tool));
      return isKeeping ? [...tools, reader] : tools;
    },
    view: (context: Context): string => {
      const seen = views.of(context);
      const { client } = context;
      if (disclosed.view(client) !== 'search') {
        return showsApps(client.capabilities) ? withApps + seen : seen;
      }
      findable.add(seen);
      return small + seen;
    },
    pageSize,
  };
  const modern = listMethod({ ...shown, show: (tool) => tool });
  const legacy = listMethod({ ...shown, show: legacyTool });
  const forget = (): void => {
    modern.forget();
    legacy.forget();
  };
  const now = () => ({
    views: disclosed.views(),
    small: new Map(Array.from(findable, (seen) => [seen, JSON.stringify(smallSet(seen))])),
  });
  /** What clients were shown last. */
  let last = now();
  return {
    modern,
    legacy,
    forget,
    changed(isDifferent, changes) {
      forget();
      const before = last;
      last = now();
      const isOther = [...before.small].some(([seen, set]) => last.small.get(seen) !== set);
      const isNew = { full: isDifferent, search: isOther };
      changes?.listChanged('tools', (client: ClientView) => {
        const view = last.views(client);
        return isNew[view] || view !== before.views(client);
      });
    },
    hasKept(changes) {
      if (isKeeping) return;
      isKeeping = true;
      forget();
      changes?.listChanged('tools', (client: ClientView) => disclosed.view(client) === 'full');
    },
  };
}
