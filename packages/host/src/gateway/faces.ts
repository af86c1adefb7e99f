import type { Implementation, Service } from 'mcp-kit/internal';
import type { GatewaySettings, GroupSettings } from '@mcp-kit/host';
import type { GatewayCatalog } from './catalog.ts';
import { createFace, type Face } from './face.ts';
import { everything, narrowed, nothing, selectionOf, type Selection } from './narrowed.ts';
import type { Views } from './policy/view.ts';
import { instructionsFor, troublesIn } from './status.ts';
import type { TaskNames } from './tasks.ts';
import type { Upstreams } from './upstream/upstreams.ts';

interface FacesOptions {
  readonly upstreams: Upstreams;
  readonly info: Implementation;
  readonly waitMs: number;
  readonly tasks: TaskNames;
  readonly views: Views;
  /** What is told now. */
  settings(): GatewaySettings;
}

/** The faces of a gateway, made when they are first asked for; all lead to the same servers. */
export interface Faces {
  /** Of a group; without a name, of all servers. */
  of(group: string | undefined): Face;
  /** A group that is configured now. */
  group(name: string): Service | undefined;
  learned(): void;
  viewsChanged(): void;
  close(): void;
}

export function createFaces({ upstreams, settings, ...options }: FacesOptions): Faces {
  const faces = new Map<string | undefined, Face>();
  const open = (group: string | undefined): Face => {
    const selection = selected(group, settings);
    const isSeen = (name: string): boolean => selection().server(name);
    const catalog = catalogOf(upstreams, selection);
    return createFace({
      ...options,
      catalog,
      ready: () => upstreams.ready(isSeen),
      settings,
      listings: () => new Map([...upstreams.listings()].filter(([name]) => isSeen(name))),
      instructions: (principal, isShort) => {
        const isTold = options.views.tellsOf(catalog(), principal);
        const { servers: all } = upstreams.status();
        const servers = all.filter(({ name }) => isSeen(name) && isTold(name));
        if (isShort) return troublesIn(servers);
        return instructionsFor(servers, (name) => upstreams.instructions(name));
      },
      upstreams: {
        get: (name) => (isSeen(name) ? upstreams.get(name) : undefined),
        values: () => Array.from(upstreams.values()).filter(({ name }) => isSeen(name)),
      },
    });
  };
  const of = (group: string | undefined): Face => {
    const face = faces.get(group) ?? open(group);
    faces.set(group, face);
    return face;
  };
  return {
    of,
    group: (name) => (groupOf(settings(), name) === undefined ? undefined : of(name).service),
    learned() {
      for (const face of faces.values()) face.learned();
    },
    viewsChanged() {
      for (const face of faces.values()) face.viewsChanged();
    },
    close() {
      for (const face of faces.values()) face.close();
    },
  };
}

/** What a group selects now: nothing, where it is not configured any more. Without a name all. */
export function selected(
  group: string | undefined,
  settings: () => GatewaySettings,
): () => Selection {
  if (group === undefined) return () => everything;
  let made: { readonly from: unknown; readonly selection: Selection } | undefined;
  return () => {
    const from = groupOf(settings(), group);
    if (made === undefined || made.from !== from) {
      made = { from, selection: from === undefined ? nothing : selectionOf(from) };
    }
    return made.selection;
  };
}

function groupOf({ groups = {} }: GatewaySettings, name: string): GroupSettings | undefined {
  return Object.hasOwn(groups, name) ? groups[name] : undefined;
}

/** The part of the catalog that is selected, made anew when either is another. */
function catalogOf(upstreams: Upstreams, selection: () => Selection): () => GatewayCatalog {
  let made: { readonly all: unknown; readonly by: Selection; part: GatewayCatalog } | undefined;
  return () => {
    const all = upstreams.catalog();
    const by = selection();
    if (by === everything) return all;
    if (made === undefined || made.all !== all || made.by !== by) {
      made = { all, by, part: narrowed(all, by) };
    }
    return made.part;
  };
}
