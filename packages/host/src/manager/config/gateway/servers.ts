import { asBoolean, asRecord, asText } from '../field.ts';
import { below, configError, type Place } from '../place.ts';
import type { GatewayMember, Joining, Said } from './member.ts';
import { checkMembers } from './members.ts';

/** How a tool or a prompt is shown to clients. */
export interface ShownAs {
  /** The name that clients know it by, instead of its own. */
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  /** Clients neither see nor reach it. */
  readonly hidden?: boolean | undefined;
}

/** How a server, and what it has, is shown to clients. */
export interface ServerShownAs {
  /** What it is for, instead of its instructions. */
  readonly description?: string | undefined;
  /** It is not served at all. */
  readonly hidden?: boolean | undefined;
  /** Whose login it is used with: that of its own user, or of each principal that asks. */
  readonly login?: LoginBy | undefined;
  /** By the name that the server has for it; globs where they are hidden. */
  readonly tools?: Readonly<Record<string, ShownAs>> | undefined;
  readonly prompts?: Readonly<Record<string, ShownAs>> | undefined;
  /** Resources and templates, by URI or glob; they can only be hidden. */
  readonly resources?: Readonly<Record<string, Pick<ShownAs, 'hidden'>>> | undefined;
}

/** `server`: all use what `mcpctl login` has got. `principal`: each who uses the gateway logs in. */
type LoginBy = 'server' | 'principal';

/** Servers by the name that the configuration has for them. */
export type ShownServers = Readonly<Record<string, ServerShownAs>>;

const own = ['name', 'description', 'hidden'] as const;
const kinds = ['tools', 'prompts', 'resources'] as const;
const validName = /^[A-Za-z0-9_-]{1,48}$/;

/** `servers`: names and words are a matter of the user, because a model believes them; a project can hide things. */
export const servers: GatewayMember<ShownServers> = {
  read: (value, place) => mapped(value, place, readServer),
  join(said, joining) {
    const joined = new Map<string, ServerShownAs>();
    for (const { value, place, scope } of said) {
      for (const [name, server] of Object.entries(value)) {
        const at = below(place, name);
        const counted = scope === 'project' ? onlyHidden(server, at, joining) : server;
        joined.set(name, joinServer(joined.get(name), counted));
      }
    }
    noteUnknown(said, joining);
    return Object.fromEntries(joined);
  },
};

function mapped<T>(
  value: unknown,
  place: Place,
  read: (one: unknown, at: Place, key: string) => T,
): Readonly<Record<string, T>> {
  const members = Object.entries(asRecord(value, place));
  return Object.fromEntries(members.map(([key, one]) => [key, read(one, below(place, key), key)]));
}

function readServer(value: unknown, place: Place): ServerShownAs {
  const server = asRecord(value, place);
  checkMembers(server, ['description', 'hidden', 'login', ...kinds], place);
  const things = (kind: (typeof kinds)[number]): ServerShownAs['tools'] => {
    const at = below(place, kind);
    return server[kind] === undefined ? undefined : mapped(server[kind], at, readThing[kind]);
  };
  const [tools, prompts] = [things('tools'), things('prompts')];
  for (const [kind, shown] of Object.entries({ tools, prompts })) {
    requireDifferent(shown ?? {}, below(place, kind));
  }
  const { description, hidden } = readShown(server, place);
  const login = readLogin(server['login'], below(place, 'login'));
  return { description, hidden, login, tools, prompts, resources: things('resources') };
}

function readLogin(value: unknown, place: Place): LoginBy | undefined {
  if (value === undefined || value === 'server' || value === 'principal') return value;
  throw configError(place, 'must be "server" or "principal"');
}

function readShown(value: Readonly<Record<string, unknown>>, place: Place): ShownAs {
  const { name, description, hidden } = value;
  const at = below(place, 'name');
  if (name !== undefined && !validName.test(asText(name, at))) {
    throw configError(at, 'is no name that every client takes', {
      hint: 'Use up to 48 letters, digits, _ and -.',
    });
  }
  return {
    name: name === undefined ? undefined : asText(name, at),
    description:
      description === undefined ? undefined : asText(description, below(place, 'description')),
    hidden: hidden === undefined ? undefined : asBoolean(hidden, below(place, 'hidden')),
  };
}

function readNamed(value: unknown, place: Place, key: string): ShownAs {
  const thing = asRecord(value, place);
  checkMembers(thing, own, place);
  const shown = readShown(thing, place);
  const isGlob = /[*?]/.test(key);
  if (isGlob && (shown.name ?? shown.description) !== undefined) {
    throw configError(place, 'a glob can only hide things', {
      hint: 'Name each thing that is to have another name or description.',
    });
  }
  return shown;
}

function readResource(value: unknown, place: Place): ShownAs {
  const thing = asRecord(value, place);
  checkMembers(thing, ['hidden'], place);
  return { hidden: readShown(thing, place).hidden };
}

const readThing = { tools: readNamed, prompts: readNamed, resources: readResource };

/** Two things of a server with one new name: neither could be told from the other. */
function requireDifferent(things: Readonly<Record<string, ShownAs>>, place: Place): void {
  const seen = new Map<string, string>();
  for (const [key, { name, hidden }] of Object.entries(things)) {
    if (name === undefined || hidden === true) continue;
    const other = seen.get(name);
    if (other !== undefined) {
      throw configError(below(place, key, 'name'), `${other} is called ${name}, too`, {
        hint: 'Give one of them another name.',
      });
    }
    seen.set(name, key);
  }
}

function onlyHidden(server: ServerShownAs, place: Place, { refuse }: Joining): ServerShownAs {
  let isTold = false;
  const keep = ({ name, description, hidden }: ShownAs, at: Place): ShownAs => {
    if ((name ?? description) !== undefined && !isTold) {
      isTold = true;
      refuse(
        configError(at, 'the file of a project cannot give other names or descriptions', {
          hint: 'Write it into your own file, ~/.config/mcp-kit/mcp.json, or name this one: --config FILE.',
        }),
      );
    }
    return { hidden };
  };
  // What is said of a name counts before what a glob says, so anything but `hidden: true` could show what the user hides.
  const each = (kind: (typeof kinds)[number]): ServerShownAs['tools'] => {
    const kept = Object.entries<ShownAs>(server[kind] ?? {})
      .map(([key, one]) => [key, keep(one, below(place, kind, key))] as const)
      .filter(([, { hidden }]) => hidden === true);
    return kept.length === 0 ? undefined : Object.fromEntries(kept);
  };
  return {
    ...keep(server, place),
    login: server.login,
    tools: each('tools'),
    prompts: each('prompts'),
    resources: each('resources'),
  };
}

/** What was said first counts; what it does not mention may be said by others. */
function joinServer(first: ServerShownAs | undefined, next: ServerShownAs): ServerShownAs {
  if (first === undefined) return next;
  return {
    description: first.description ?? next.description,
    hidden: first.hidden ?? next.hidden,
    login: first.login ?? next.login,
    tools: { ...next.tools, ...first.tools },
    prompts: { ...next.prompts, ...first.prompts },
    resources: { ...next.resources, ...first.resources },
  };
}

function noteUnknown(said: readonly Said<ShownServers>[], { servers: known, warn }: Joining): void {
  for (const { value, place } of said) {
    const name = Object.keys(value).find((one) => !known.has(one));
    if (name === undefined) continue;
    warn({ ...below(place, name), message: `there is no server ${name}. See mcpctl servers` });
  }
}
