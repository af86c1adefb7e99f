import { isRecord, withoutUndefined } from 'mcp-kit/internal';
import type { ConfigScope } from '../entry.ts';
import { asRecord } from '../field.ts';
import { below, topOf, type Place } from '../place.ts';
import { disclosure, type Disclosure } from './disclosure.ts';
import { groups, type Groups } from './groups.ts';
import { limits, type LimitRule } from './limits.ts';
import type { GatewayMember, Joining, Said } from './member.ts';
import { checkMembers } from './members.ts';
import { servers, type ShownServers } from './servers.ts';
import { policy, unreadPolicy, type PolicyPart } from './policy.ts';
import { results, type ResultSettings } from './results.ts';

/** What a configuration tells a gateway: `gateway` of `mcp.json`. */
export interface GatewaySettings {
  /** Some of the servers as one, each at an address of its own. */
  readonly groups?: Groups | undefined;
  /** How servers, and what they have, are shown to clients. */
  readonly servers?: ShownServers | undefined;
  /** How much may be asked, and how long it may take. */
  readonly limits?: readonly LimitRule[] | undefined;
  /** What may be used, by whom, and about what the user is asked: the rules of each file. */
  readonly policy?: readonly PolicyPart[] | undefined;
  /** What clients see of many tools; `auto`. */
  readonly disclosure?: Disclosure | undefined;
  /** When results of tools are kept instead of shown; `false`: never. */
  readonly results?: ResultSettings | false | undefined;
}

type Name = keyof GatewaySettings;
type Values = { readonly [Key in Name]-?: NonNullable<GatewaySettings[Key]> };
type Members = { readonly [Key in Name]: GatewayMember<Values[Key]> };

/** A member is a file beside this one, a line here and a line in the interface. */
const members: Members = {
  groups,
  servers,
  limits,
  policy,
  disclosure,
  results,
};

const names = Object.keys(members) as readonly Name[];

/** What one file says, and where. */
export interface GatewaySection {
  readonly settings: GatewaySettings;
  readonly place: Place;
  readonly scope: ConfigScope;
}

/** Reads and checks `gateway`; throws what is wrong with it. */
export function readGateway(value: unknown, place: Place): GatewaySettings {
  const raw = asRecord(value, place);
  checkMembers(raw, names, place);
  const read = names.map((name) => {
    const said = raw[name] !== undefined;
    return [name, said ? members[name].read(raw[name], below(place, name)) : undefined] as const;
  });
  return withoutUndefined(Object.fromEntries(read));
}

/** `gateway` of a document, where it has one. */
export function gatewayIn(
  document: unknown,
  { file, scope }: { readonly file: string; readonly scope: ConfigScope },
): GatewaySection | undefined {
  if (!isRecord(document) || document['gateway'] === undefined) return undefined;
  const place = below(topOf(file), 'gateway');
  return { settings: readGateway(document['gateway'], place), place, scope };
}

/** What counts of a document in which something is wrong: its policy; and where that is wrong itself, nothing passes. */
export function policyIn(
  document: unknown,
  { file, scope }: { readonly file: string; readonly scope: ConfigScope },
): GatewaySection | undefined {
  const place = below(topOf(file), 'gateway');
  const gateway = isRecord(document) ? document['gateway'] : undefined;
  if (gateway === undefined) return undefined;
  const at = below(place, 'policy');
  try {
    // What is not known may be a policy that was meant.
    checkMembers(asRecord(gateway, place), names, place);
    const { policy: rules } = asRecord(gateway, place);
    if (rules === undefined) return undefined;
    return { settings: { policy: policy.read(rules, at) }, place, scope };
  } catch {
    return { settings: { policy: [unreadPolicy(at)] }, place, scope };
  }
}

/** What all files say, as one; in the order in which they count among servers. */
export function joinGateway(
  sections: readonly GatewaySection[],
  joining: Joining,
): GatewaySettings {
  const isOthers = ({ scope }: GatewaySection): boolean => scope === 'project';
  const ordered = [
    ...sections.filter((section) => !isOthers(section)),
    ...sections.filter((section) => isOthers(section)),
  ];
  const joined = names.map((name) => [name, joinMember(name, ordered, joining)] as const);
  return withoutUndefined(Object.fromEntries(joined));
}

function joinMember<Key extends Name>(
  name: Key,
  sections: readonly GatewaySection[],
  joining: Joining,
): Values[Key] | undefined {
  const said: Said<Values[Key]>[] = [];
  for (const { settings, place, scope } of sections) {
    const values: { readonly [Each in Name]?: Values[Each] | undefined } = settings;
    const value = values[name];
    if (value !== undefined) said.push({ value, place: below(place, name), scope });
  }
  const member: Members[Key] = members[name];
  return said.length === 0 ? undefined : member.join(said, joining);
}
