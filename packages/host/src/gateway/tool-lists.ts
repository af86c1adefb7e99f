import type { ClientView, Tool } from 'mcp-kit/internal';
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

/** The view of those who see the small set. */
const small = 'search';

export function toolLists({
  catalog,
  disclosed,
  views,
  reader,
  pageSize,
}: ToolListParts): ToolLists {
  let isKeeping = false;
  const shown = {
    member: 'tools',
    items: (view: string): readonly Tool[] => {
      if (view === small) return disclosed.tools();
      const tools = views.tools(catalog(), view);
      return isKeeping ? [...tools, reader] : tools;
    },
    view: (context: Context): string =>
      disclosed.view(context.client) === 'search' ? small : views.of(context),
    pageSize,
  };
  const modern = listMethod({ ...shown, show: (tool) => tool });
  const legacy = listMethod({ ...shown, show: legacyTool });
  const forget = (): void => {
    modern.forget();
    legacy.forget();
  };
  const now = () => ({ views: disclosed.views(), small: JSON.stringify(disclosed.tools()) });
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
      const isNew = { full: isDifferent, search: before.small !== last.small };
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
