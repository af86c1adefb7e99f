import type { KitError } from 'mcp-kit/internal';
import { asRecord, asTexts } from '../field.ts';
import { below, configError, type Place } from '../place.ts';
import type { GatewayMember } from './member.ts';
import { checkMembers } from './members.ts';

/** Some of the servers as one, at an address of their own. */
export interface GroupSettings {
  /** Their names; without, all servers. */
  readonly servers?: readonly string[] | undefined;
  /** Globs over the names of tools as clients see them; without, all tools of these servers. */
  readonly tools?: readonly string[] | undefined;
}

/** Groups by name. */
export type Groups = Readonly<Record<string, GroupSettings>>;

const validName = /^[A-Za-z0-9_-]+$/;

/** `groups`: the strongest file that names a group says what is in it. */
export const groups: GatewayMember<Groups> = {
  read(value, place) {
    const named = Object.entries(asRecord(value, place));
    return Object.fromEntries(named.map(([name, one]) => [name, readGroup(name, one, place)]));
  },
  join(said, { servers, refuse, warn }) {
    const joined = new Map<string, GroupSettings>();
    for (const { value, place } of said) {
      for (const [name, group] of Object.entries(value)) {
        const at = below(place, name);
        if (joined.has(name)) continue;
        if (servers.has(name)) {
          refuse(sameName(name, at));
          continue;
        }
        const unknown = group.servers?.find((one) => !servers.has(one));
        if (unknown !== undefined) {
          const message = `there is no server ${unknown}. See mcpctl servers`;
          warn({ ...below(at, 'servers'), message });
        }
        joined.set(name, group);
      }
    }
    return Object.fromEntries(joined);
  },
};

function readGroup(name: string, value: unknown, place: Place): GroupSettings {
  const at = below(place, name);
  if (!validName.test(name)) {
    throw configError(at, `invalid group name: ${name}`, {
      hint: 'It is part of a URL: use letters, digits, _ and -.',
    });
  }
  const group = asRecord(value, at);
  checkMembers(group, ['servers', 'tools'], at);
  const list = (key: 'servers' | 'tools'): readonly string[] | undefined =>
    group[key] === undefined ? undefined : asTexts(group[key], below(at, key));
  return { servers: list('servers'), tools: list('tools') };
}

function sameName(name: string, at: Place): KitError {
  return configError(at, `a server is called ${name}, too, and both would be at /mcp/${name}`, {
    hint: 'Give the group another name.',
  });
}
