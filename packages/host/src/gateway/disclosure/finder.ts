import { isVisibleTo, type Tool } from 'mcp-kit/internal';
import type { GatewayCatalog } from '../catalog.ts';
import type { Listing } from '../upstream/listing.ts';
import { purposeOf } from './purpose.ts';
import type { Indexed } from './indexed.ts';
import { ToolIndex } from './tool-index.ts';

/** What is searched. */
export interface Searched {
  catalog(): GatewayCatalog;
  /** What is known of each server. */
  listings(): ReadonlyMap<string, Listing>;
}

/** Finds tools in what is known now. */
export interface Finder {
  find(query: string, most: number): Promise<readonly Tool[]>;
  /** Somebody is about to search. */
  wanted(): void;
  /** There are other tools. */
  changed(): void;
}

/** The index is built in slices, from the first time that it is wanted on; only those who search wait for it. */
export function createFinder({ catalog, listings }: Searched): Finder {
  const index = new ToolIndex();
  let indexed: string | undefined;
  let indexing: Promise<void> | undefined;
  const purposes = (): ReadonlyMap<string, string> =>
    new Map(Array.from(listings(), ([server, listing]) => [server, purposeOf(server, listing)]));
  const tools = (): readonly Indexed[] => {
    const { tools: all, tool: itemOf } = catalog();
    const about = purposes();
    return all.flatMap((tool) => {
      const item = itemOf(tool.name);
      if (item === undefined || !isVisibleTo('model', tool)) return [];
      return [{ tool, ...item, about: about.get(item.server) ?? '' }];
    });
  };
  const build = async (): Promise<void> => {
    while (indexed !== catalog().hash) {
      const { hash } = catalog();
      await index.update(tools());
      indexed = hash;
    }
  };
  const upToDate = (): Promise<void> => {
    indexing ??= build().finally(() => {
      indexing = undefined;
    });
    return indexing;
  };
  return {
    async find(query, most) {
      await upToDate();
      return index.search(query, most).map(({ tool }) => tool);
    },
    wanted: () => void setImmediate(() => void upToDate()),
    changed() {
      if (indexed !== undefined) void upToDate();
    },
  };
}
