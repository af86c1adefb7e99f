import {
  canonicalJson,
  crypto,
  headerBindings,
  invalidParams,
  isRecord,
  legacyOutputSchema,
  parseUriTemplate,
  type HeaderBinding,
  type Prompt,
  type Resource,
  type ResourceTemplate,
  type Tool,
  type UriTemplate,
} from 'mcp-kit/internal';
import { placeOfName } from '@mcp-kit/host';
import { withApp } from './apps.ts';
import type { Listing } from './upstream/listing.ts';
import { NameTable } from './names.ts';
import { presentationOf, type Presentation } from './presentation.ts';
import { isQualified, partsOfUri, qualifiedUri } from './uris.ts';

/** Something of a server, by the name or URI that the server knows. */
export interface Item {
  readonly server: string;
  readonly item: string;
}

/** Something that is not offered, because its name is taken. */
export interface Refused extends Item {
  readonly kind: 'tool' | 'prompt';
}

/** What all servers have, under names that tell them apart; in one order, so that the same servers always read the same. */
export interface GatewayCatalog {
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplate[];
  readonly refused: readonly Refused[];
  /** Changes exactly when anything above does. */
  readonly hash: string;
  tool(name: string): Item | undefined;
  prompt(name: string): Item | undefined;
  /** Whose a URI is; throws where several servers have it. Those that are not to be seen have nothing. */
  resource(uri: string, isSeen?: (server: string) => boolean): Item | undefined;
  /** The same of the text of a template. */
  template(uri: string, isSeen?: (server: string) => boolean): Item | undefined;
  /** The server and its name for a name that is not known, where that says both: not everything may be known of the server. */
  guess(kind: 'tool' | 'prompt', name: string): Item | undefined;
  /** The servers that have a URI, or the text of a template. */
  ownersOf(uri: string, kind: 'resource' | 'template'): readonly string[];
  /** The URI by which clients know what a server calls so. */
  publicUri(server: string, uri: string): string;
  headersOf(tool: string): readonly HeaderBinding[];
}

const noHeaders: readonly HeaderBinding[] = [];
const asItIs = presentationOf();
const anyServer = (): boolean => true;

/** Merges what servers have, as they are to be shown. */
export function mergeListings(
  listings: ReadonlyMap<string, Listing>,
  shownBy: (server: string) => Presentation = () => asItIs,
): GatewayCatalog {
  const servers = [...listings]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([server, listing]) => visible(server, listing, shownBy(server)));
  const refused: Refused[] = [];
  const tools = nameAll(
    'tool',
    servers.map(({ server, tools: all }) => [server, all]),
    refused,
  );
  const prompts = nameAll(
    'prompt',
    servers.map(({ server, prompts: all }) => [server, all]),
    refused,
  );
  const uris = new Owners(
    servers.map(({ server, resources }) => [server, resources.map(({ uri }) => uri)]),
  );
  const texts = new Owners(
    servers.map(({ server, templates }) => [server, templates.map((one) => one.uriTemplate)]),
  );
  const patterns = servers.flatMap(({ server, templates }) =>
    templates.map(({ uriTemplate }) => ({ server, pattern: patternOf(uriTemplate) })),
  );
  const matching = (uri: string): readonly string[] => {
    const found = patterns.filter(({ pattern }) => pattern.match(uri) !== undefined);
    return [...new Set(found.map(({ server }) => server))];
  };
  const ownersOf: GatewayCatalog['ownersOf'] = (uri, kind) => {
    if (kind === 'template') return texts.of(uri);
    const listed = uris.of(uri);
    const owners = listed.length > 0 ? listed : matching(uri);
    return owners.filter((server) => !shownBy(server).hidesUri(uri));
  };
  const seen = (item: Item | undefined): Item | undefined =>
    item && shownBy(item.server).hidesUri(item.item) ? undefined : item;
  const lists = {
    tools: tools.list.map((tool) => withTypedInput(tool)),
    prompts: prompts.list,
    // Servers list the first ones first.
    resources: uris.each(
      servers.flatMap(({ server, resources }) => withServer(server, resources)),
      uriOf,
    ),
    templates: texts.each(
      servers.flatMap(({ server, templates }) => withServer(server, templates)),
      textOf,
    ),
  };
  return {
    ...lists,
    refused,
    hash: crypto().hash('sha256', canonicalJson(lists), 'hex'),
    tool: (name) => tools.names.get(name),
    prompt: (name) => prompts.names.get(name),
    resource: (uri, isSeen = anyServer) =>
      seen(itemAt(uri, ownersOf(uri, 'resource').filter(isSeen))),
    template: (text, isSeen = anyServer) =>
      seen(itemAt(text, ownersOf(text, 'template').filter(isSeen))),
    guess(kind, name) {
      const place = placeOfName(name);
      const item = place && shownBy(place.server).own(kind, place.tool);
      return place && item !== undefined ? { server: place.server, item } : undefined;
    },
    ownersOf,
    publicUri(server, uri) {
      const [owner, another] = isQualified(uri) ? [] : ownersOf(uri, 'resource');
      return owner === server && another === undefined ? uri : qualifiedUri(server, uri);
    },
    headersOf: headersIn(lists.tools),
  };
}

/** Something as clients see it, apart from its server, and the name that the server has for it. */
interface Shown<T> {
  readonly own: string;
  readonly thing: T;
}

/** What of a server clients see. */
function visible(server: string, listing: Listing, as: Presentation) {
  const shown = <T extends { readonly name: string }>(
    kind: Refused['kind'],
    all: readonly T[],
  ): readonly Shown<T>[] => {
    const seen = all.flatMap((one) => {
      const thing = as.show(kind, one);
      return thing === undefined ? [] : [{ own: one.name, thing }];
    });
    const isRenamed = ({ own, thing }: Shown<T>): boolean => own !== thing.name;
    // A name that somebody gives does not take the place of one that the server has.
    return [...seen.filter((one) => !isRenamed(one)), ...seen.filter(isRenamed)];
  };
  return {
    server,
    tools: shown(
      'tool',
      listing.tools.map((tool) => withApp(server, tool)),
    ),
    prompts: shown('prompt', listing.prompts),
    resources: listing.resources.filter(({ uri }) => !as.hidesUri(uri)),
    templates: listing.templates.filter(({ uriTemplate }) => !as.hidesUri(uriTemplate)),
  };
}

/** Gives all tools, or all prompts, their names; in the order of these. */
function nameAll<T extends { readonly name: string }>(
  kind: Refused['kind'],
  servers: readonly (readonly [server: string, things: readonly Shown<T>[]])[],
  refused: Refused[],
): { readonly names: NameTable<Item>; readonly list: readonly T[] } {
  const names = new NameTable<Item>();
  const list: T[] = [];
  for (const [server, things] of servers) {
    for (const { own, thing } of things) {
      const item = { server, item: own };
      const name = names.add(item, thing.name);
      if (name === undefined) refused.push({ kind, ...item });
      else list.push({ ...thing, name });
    }
  }
  return { names, list: list.sort(by(({ name }) => name)) };
}

/** What of the arguments of a tool is also in headers, found when it is first asked for. */
function headersIn(tools: readonly Tool[]): GatewayCatalog['headersOf'] {
  const known = new Map<string, readonly HeaderBinding[]>();
  return (name) => {
    let bindings = known.get(name);
    if (bindings === undefined) {
      const tool = tools.find((one) => one.name === name);
      bindings = tool === undefined ? noHeaders : bindingsOf(tool);
      if (tool !== undefined) known.set(name, bindings);
    }
    return bindings;
  };
}

/** Tools as the legacy era lists them, whose structured results are objects. */
export function legacyTool(tool: Tool): Tool {
  const { outputSchema } = tool;
  if (!isRecord(outputSchema) || outputSchema['type'] === 'object') return tool;
  return { ...tool, outputSchema: legacyOutputSchema(outputSchema) };
}

/** Arguments are an object. Some servers do not say so, and some clients take no tool of a list in which one does not. */
function withTypedInput(tool: Tool): Tool {
  const { inputSchema } = tool;
  if (!isRecord(inputSchema)) return { ...tool, inputSchema: { type: 'object' } };
  if (inputSchema['type'] !== undefined) return tool;
  return { ...tool, inputSchema: { ...inputSchema, type: 'object' } };
}

/** None where they are wrong: the server knows best what to do with such a call. */
function bindingsOf({ inputSchema }: Tool): readonly HeaderBinding[] {
  try {
    return headerBindings(inputSchema);
  } catch {
    return noHeaders;
  }
}

/** Which servers have a URI. */
class Owners {
  readonly #servers = new Map<string, Set<string>>();

  constructor(lists: readonly (readonly [string, readonly string[]])[]) {
    for (const [server, uris] of lists) {
      for (const uri of uris) {
        if (isQualified(uri)) continue;
        const known = this.#servers.get(uri);
        if (known === undefined) this.#servers.set(uri, new Set([server]));
        else known.add(server);
      }
    }
  }

  of(uri: string): readonly string[] {
    return [...(this.#servers.get(uri) ?? [])];
  }

  /** What servers list, once each, and by a URI that names the server where another has the same. */
  each<T extends object>(
    all: readonly (readonly [server: string, thing: T])[],
    uriIn: (thing: T) => string,
  ): T[] {
    const found = new Map<string, T>();
    for (const [server, thing] of all) {
      const uri = uriIn(thing);
      const isUnique = this.#servers.get(uri)?.size === 1;
      const shown = isUnique ? uri : qualifiedUri(server, uri);
      if (!found.has(shown)) found.set(shown, isUnique ? thing : renamed(thing, uri, shown));
    }
    return [...found.values()];
  }
}

/** The thing with another URI, in whichever member it has it. */
function renamed<T extends object>(thing: T, uri: string, shown: string): T {
  const member = 'uriTemplate' in thing ? 'uriTemplate' : 'uri';
  return Reflect.get(thing, member) === uri ? { ...thing, [member]: shown } : thing;
}

const uriOf = ({ uri }: Resource): string => uri;
const textOf = ({ uriTemplate }: ResourceTemplate): string => uriTemplate;

function withServer<T>(server: string, things: readonly T[]): (readonly [string, T])[] {
  return things.map((thing) => [server, thing]);
}

/** What a URI stands for: it names its server, or one server has it. */
function itemAt(uri: string, [server, ...others]: readonly string[]): Item | undefined {
  const parts = partsOfUri(uri);
  if (parts !== undefined) return { server: parts.server, item: parts.uri };
  if (server === undefined) return undefined;
  if (others.length === 0) return { server, item: uri };
  const choices = [server, ...others].map((one) => qualifiedUri(one, uri)).join(', ');
  throw invalidParams(`Several servers have ${uri}: name one of ${choices}`);
}

/** A template that cannot be read still says how its URIs begin. */
function patternOf(text: string): UriTemplate {
  try {
    return parseUriTemplate(text);
  } catch {
    const [start = ''] = text.split('{', 1);
    return { match: (uri) => (start !== '' && uri.startsWith(start) ? {} : undefined) };
  }
}

/** By code units: the same in every locale. */
function by<T>(key: (one: T) => string): (one: T, other: T) => number {
  return (one, other) => (key(one) < key(other) ? -1 : 1);
}
