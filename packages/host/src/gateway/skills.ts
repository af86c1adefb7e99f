import { Buffer } from 'node:buffer';
import { invalidParams, isRecord, startTimer, type Exchange, type Params } from 'mcp-kit/internal';
import type { Routes } from './route.ts';
import type { Upstream } from './upstream/upstream.ts';
import { qualifiedUri } from './uris.ts';

/** A part of the skills of all servers, and where the next one begins. */
interface SkillPage {
  readonly skills: readonly unknown[];
  readonly nextCursor?: string;
}

/** Where a page begins: at a server, and where in its own list. */
interface Place {
  readonly server: string;
  readonly cursor?: unknown;
}

/** The skills of all servers, one server after the other; of one that does not answer in time there are none. */
export async function skillPage(exchange: Exchange, routes: Routes): Promise<SkillPage> {
  const given = exchange.message.params?.['cursor'];
  let place: Place | undefined = given === undefined ? undefined : placeOf(given);
  const isSeen = routes.views.shownTo(exchange);
  const upstreams = [...routes.upstreams.values()]
    .filter(({ name, listing }) => isSeen(name) && listing?.hasSkills !== false)
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const asked = { exchange, routes };
  for (const [index, upstream] of upstreams.entries()) {
    if (place !== undefined && upstream.name < place.server) continue;
    const cursor = upstream.name === place?.server ? place.cursor : undefined;
    place = undefined;
    const page = await pageOf(upstream, cursor, asked);
    const server = page.nextCursor === undefined ? upstreams[index + 1]?.name : upstream.name;
    // Who asks for pages until there are no more need not be told of empty ones.
    if (page.skills.length === 0 && page.nextCursor === undefined) continue;
    if (server === undefined) return { skills: page.skills };
    return { skills: page.skills, nextCursor: textOf({ server, cursor: page.nextCursor }) };
  }
  return { skills: [] };
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

function textOf(place: Place): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url');
}

function placeOf(cursor: unknown): Place {
  try {
    const place: unknown = JSON.parse(Buffer.from(String(cursor), 'base64url').toString());
    if (isRecord(place) && typeof place['server'] === 'string') {
      return { server: place['server'], cursor: place['cursor'] };
    }
  } catch {
    // It is none of ours.
  }
  throw invalidParams('Invalid cursor');
}
