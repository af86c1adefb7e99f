import { Buffer } from 'node:buffer';
import {
  folderType,
  invalidParams,
  isRecord,
  startTimer,
  type Exchange,
  type Params,
} from 'mcp-kit/internal';
import type { Routes } from './route.ts';
import type { Upstream } from './upstream/upstream.ts';
import { qualifiedUri, serverOfTop } from './uris.ts';

/** A part of the skills of all servers, and where the next one begins. */
interface SkillPage {
  readonly skills: readonly unknown[];
  readonly nextCursor?: string;
}

/** Where each server goes on that has more. */
type Cursors = Readonly<Record<string, unknown>>;

/** The skills of all servers, which are asked at once; of one that does not answer in time there are none. */
export async function skillPage(exchange: Exchange, routes: Routes): Promise<SkillPage> {
  const given = exchange.message.params?.['cursor'];
  const cursors = given === undefined ? undefined : cursorsIn(given);
  const isSeen = routes.views.shownTo(exchange);
  const upstreams = [...routes.upstreams.values()]
    .filter(({ name, listing }) => isSeen(name) && listing?.hasSkills !== false)
    .filter(({ name }) => cursors === undefined || Object.hasOwn(cursors, name))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const asked = { exchange, routes };
  const pages = await Promise.all(
    upstreams.map((upstream) => pageOf(upstream, cursors?.[upstream.name], asked)),
  );
  const skills = pages.flatMap((page) => page.skills);
  const further = pages.flatMap(({ nextCursor }, index) =>
    nextCursor === undefined ? [] : [[upstreams[index]?.name ?? '', nextCursor] as const],
  );
  return further.length === 0
    ? { skills }
    : { skills, nextCursor: textOf(Object.fromEntries(further)) };
}

/** A server that never comes to an end is not asked for ever. */
const maxPages = 100;

/** What is at the top of the skills of one server, whose folder is `skill://` and its name; nothing where that has none. */
export async function topFolders(
  exchange: Exchange,
  routes: Routes,
): Promise<{ readonly resources: readonly unknown[] } | undefined> {
  const { uri, cursor, _meta } = exchange.message.params ?? {};
  const server = typeof uri === 'string' ? serverOfTop(uri) : undefined;
  const upstream = server === undefined ? undefined : routes.upstreams.get(server);
  const isSeen = routes.views.shownTo(exchange);
  if (upstream === undefined || !isSeen(upstream.name)) return undefined;
  // No page has another one after it.
  if (cursor !== undefined) throw invalidParams('Invalid cursor');
  const listing = exchange.instead('skills/list', _meta === undefined ? {} : { _meta });
  listing.client = exchange.client;
  const asked = { exchange: listing, routes };
  const names = new Set<string>();
  let next: unknown;
  for (let pages = 0; pages < maxPages; pages += 1) {
    const page = await pageOf(upstream, next, asked);
    for (const skill of page.skills) {
      const at = isRecord(skill) ? String(skill['uri']) : '';
      names.add(at.slice(`${String(uri)}/`.length).split('/', 1)[0] ?? '');
    }
    next = page.nextCursor;
    if (next === undefined) break;
  }
  if (names.size === 0) return undefined;
  const top = `${String(uri)}/`;
  return {
    resources: [...names].map((name) => ({ uri: top + name, name, mimeType: folderType })),
  };
}

interface Asked {
  readonly exchange: Exchange;
  readonly routes: Routes;
}

async function pageOf(
  upstream: Upstream,
  cursor: unknown,
  { exchange, routes }: Asked,
): Promise<{ readonly skills: readonly unknown[]; readonly nextCursor?: unknown }> {
  const { cursor: _cursor, ...rest } = exchange.message.params ?? {};
  const params: Params = cursor === undefined ? rest : { ...rest, cursor };
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = startTimer(() => resolve(undefined), routes.waitMs);
  });
  try {
    const asking = upstream.serve(exchange.forwarded(params, upstream.linkFor(exchange)));
    const result = await Promise.race([asking, late]);
    const listed = isRecord(result) ? result['skills'] : undefined;
    if (!isRecord(result) || !Array.isArray(listed)) return { skills: [] };
    const catalog = routes.catalog();
    const skills = listed
      .map((skill: unknown) => shownSkill(skill, upstream.name))
      .filter((skill) => isRecord(skill) && catalog.resource(String(skill['uri'])) !== undefined);
    return { skills, nextCursor: result['nextCursor'] };
  } catch {
    // What it has is not known now, and what the others have is.
    return { skills: [] };
  } finally {
    clearTimeout(timer);
  }
}

/** A skill with URIs that lead back to its server; its digests are of the same bytes. */
export function shownSkill(skill: unknown, server: string): unknown {
  if (!isRecord(skill)) return skill;
  const { uri, resources } = skill;
  return {
    ...skill,
    uri: typeof uri === 'string' ? qualifiedUri(server, uri) : uri,
    resources: Array.isArray(resources)
      ? resources.map((one) => shownFile(one, server))
      : resources,
  };
}

/** A file or a folder with a URI that leads back to its server. */
export function shownFile(file: unknown, server: string): unknown {
  if (!isRecord(file) || typeof file['uri'] !== 'string') return file;
  return { ...file, uri: qualifiedUri(server, file['uri']) };
}

function textOf(cursors: Cursors): string {
  return Buffer.from(JSON.stringify(cursors)).toString('base64url');
}

function cursorsIn(cursor: unknown): Cursors {
  try {
    const cursors: unknown = JSON.parse(Buffer.from(String(cursor), 'base64url').toString());
    if (isRecord(cursors)) return cursors;
  } catch {
    // It is none of ours.
  }
  throw invalidParams('Invalid cursor');
}
