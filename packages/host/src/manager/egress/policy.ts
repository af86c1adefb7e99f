import { KitError, net, withoutUndefined } from 'mcp-kit/internal';

/** What may be connected to on the word of somebody who is not trusted. */
export interface EgressPolicy {
  /** Only https; true. */
  readonly requireHttps: boolean;
  /** `localhost` and loopback addresses, at any port; false. */
  readonly allowLocalhost: boolean;
  /** Addresses and names of the network around this machine, at any port; false. */
  readonly allowPrivateIps: boolean;
  /** Names may lead only to addresses that are allowed themselves; true. */
  readonly dnsCheck: boolean;
  /** How long a name may take to be looked up; 2 s. */
  readonly dnsTimeoutMs: number;
  /** A lookup may take longer, and its failure counts as an outage. What it finds is checked all the same; false. */
  readonly dnsFailOpen: boolean;
  /** When not empty, only these hosts and what is below them; `example.com:8443` also opens that port. None. */
  readonly allowedHosts: readonly string[];
  /** Ports on the internet beside the usual one of https or http; none. */
  readonly allowedPorts: readonly number[];
}

const defaultPolicy: EgressPolicy = {
  requireHttps: true,
  allowLocalhost: false,
  allowPrivateIps: false,
  dnsCheck: true,
  dnsTimeoutMs: 2000,
  dnsFailOpen: false,
  allowedHosts: [],
  allowedPorts: [],
};

/** A host of the list, as URLs name it. */
interface AllowedHost {
  readonly host: string;
  readonly port: number | undefined;
}

/** A policy as it is applied. */
export interface Rules extends Omit<EgressPolicy, 'allowedHosts'> {
  readonly allowedHosts: readonly AllowedHost[];
}

/** The policy with defaults for what it does not say. */
export function withDefaults(policy: Partial<EgressPolicy>): EgressPolicy {
  return { ...defaultPolicy, ...withoutUndefined(policy) };
}

/** The policy as it is applied; a value that could not be meant is the caller's mistake. */
export function rulesOf(policy: Partial<EgressPolicy>): Rules {
  const rules = withDefaults(policy);
  const { dnsTimeoutMs, allowedPorts } = rules;
  if (!(dnsTimeoutMs > 0 && dnsTimeoutMs < 2 ** 31)) {
    throw wrong(`dnsTimeoutMs cannot be ${dnsTimeoutMs}`, 'It is a number of milliseconds.');
  }
  const bad = allowedPorts.find((port) => !Number.isInteger(port) || port < 1 || port > 65_535);
  if (bad !== undefined) throw wrong(`not a port: ${bad}`, 'Ports are 1 to 65535.');
  return { ...rules, allowedHosts: rules.allowedHosts.map(parseHost) };
}

function parseHost(text: string): AllowedHost {
  const hint =
    'Name a host, perhaps with a port: example.com, example.com:8443. Subdomains follow.';
  const address = `https://${net().isIP(text) === 6 ? `[${text}]` : text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // What is more than a host and a port shows up in the text of the URL.
  if (url === undefined || url.href !== `https://${url.host}/` || url.host.includes('*')) {
    throw wrong(`not a host: ${JSON.stringify(text)}`, hint);
  }
  return { host: hostOf(url), port: url.port === '' ? undefined : Number(url.port) };
}

/** The host of a URL: an address without brackets, or a name without the dot of the root. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.+$/, '');
}

/** Whose name it is. */
export type NameKind = 'localhost' | 'local' | 'public';

/** Tells names of this machine and of the network around it from those that anybody can own. */
export function nameKindOf(host: string): NameKind {
  if (/(^|\.)localhost$/.test(host) || host === 'localhost.localdomain') return 'localhost';
  return !host.includes('.') || /\.(local|localdomain)$/.test(host) ? 'local' : 'public';
}

function wrong(message: string, hint: string): KitError {
  return new KitError('invalid_argument', `egress policy: ${message}`, { hint });
}
