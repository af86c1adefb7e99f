import { KitError, net } from 'mcp-kit/internal';
import { kindOf } from './address.ts';
import { hostOf, nameKindOf, type NameKind, type Rules } from './policy.ts';
import { redacted, refusal, type Whose } from './refusals.ts';

/** What may be reached, and on whose word. */
export interface Limits extends Whose {
  readonly rules: Rules;
}

/** Where a connection leads, by what a URL says. */
export interface Place {
  readonly secure: boolean;
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Why a URL may not be used, as far as its text tells; `field` says where it was found. */
export function checkUrl(limits: Limits, text: string | URL, field = 'url'): KitError | undefined {
  const url = URL.canParse(String(text)) ? new URL(text) : undefined;
  const { rules, ...whose } = limits;
  if (url === undefined) {
    const message = `mcp server ${whose.server}: ${field} is not a URL`;
    return new KitError('invalid_argument', message, { hint: 'Write it as https://host/path.' });
  }
  if (url.username !== '' || url.password !== '') {
    return refusal('use url credentials', { ...whose, more: `field=${field}` });
  }
  if (url.protocol !== 'https:' && (url.protocol !== 'http:' || rules.requireHttps)) {
    const loosen = url.protocol === 'http:' ? 'allow http (policy.requireHttps: false)' : undefined;
    const more = `${field}=${redacted(url)}`;
    return refusal('connect non-https streamable http url', { ...whose, more }, loosen);
  }
  return checkPlace(limits, placeOf(url));
}

/** Where a URL leads. */
export function placeOf(url: URL): Place {
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? usualPort(secure) : Number(url.port);
  return { secure, host: hostOf(url), port };
}

/** Why a place may not be connected to, before any name is looked up. */
function checkPlace(limits: Limits, place: Place): KitError | undefined {
  const { rules, ...whose } = limits;
  const { host, port } = place;
  const isLiteral = net().isIP(host) !== 0;
  const kind = nameKindOf(host);
  const isClosed = kind === 'localhost' ? !rules.allowLocalhost : !rules.allowPrivateIps;
  if (!isLiteral && kind !== 'public' && isClosed) {
    const what = 'connect localhost/local/single-label domain';
    return refusal(what, { ...whose, more: `host=${host}` }, wayTo(kind));
  }
  if (!isListed(rules, host)) {
    const what = 'connect streamable http host not in allowlist';
    return refusal(
      what,
      { ...whose, more: `host=${host}` },
      'allow the host (policy.allowedHosts)',
    );
  }
  if (isLiteral) return checkAddress(limits, place, host);
  // Whether it is of the network around is known when its address is.
  const isOfInternet = kind === 'public' && !rules.allowPrivateIps;
  return isOfInternet && !isOpenPort(rules, place) ? closedPort(whose, host, port) : undefined;
}

/** Why an address that a place has may not be connected to. */
export function checkAddress(limits: Limits, place: Place, address: string): KitError | undefined {
  const { rules, ...whose } = limits;
  const { host, port } = place;
  const kind = kindOf(address);
  if (kind === 'global') {
    return isOpenPort(rules, place) ? undefined : closedPort(whose, host, port);
  }
  if (kind === 'private' && rules.allowPrivateIps) return undefined;
  const isLiteral = net().isIP(host) !== 0;
  // A name that anybody can own does not become this machine by saying so.
  const isOurs = isLiteral || nameKindOf(host) !== 'public';
  if (kind === 'loopback' && rules.allowLocalhost && isOurs) return undefined;
  const loosen =
    kind === 'private'
      ? wayTo('local')
      : kind === 'loopback' && isOurs
        ? wayTo('localhost')
        : undefined;
  if (isLiteral)
    return refusal('connect non-global ip', { ...whose, more: `ip=${address}` }, loosen);
  const what = 'connect hostname that resolves to non-global ip';
  return refusal(what, { ...whose, more: `host=${host} ip=${address}` }, loosen);
}

function wayTo(kind: Exclude<NameKind, 'public'>): string {
  return kind === 'localhost'
    ? 'allow this machine (policy.allowLocalhost)'
    : 'allow the network around it (policy.allowPrivateIps)';
}

function isListed({ allowedHosts }: Rules, host: string): boolean {
  return allowedHosts.length === 0 || allowedHosts.some((allowed) => covers(allowed.host, host));
}

function covers(allowed: string, host: string): boolean {
  return host === allowed || (net().isIP(allowed) === 0 && host.endsWith(`.${allowed}`));
}

function isOpenPort(rules: Rules, { secure, host, port }: Place): boolean {
  if (port === usualPort(secure) || rules.allowedPorts.includes(port)) return true;
  return rules.allowedHosts.some((allowed) => allowed.port === port && covers(allowed.host, host));
}

function usualPort(secure: boolean): number {
  return secure ? 443 : 80;
}

function closedPort(whose: Whose, host: string, port: number): KitError {
  const more = `host=${host} port=${port}`;
  const name = net().isIP(host) === 6 ? `[${host}]` : host;
  const loosen = `allow the port (policy.allowedHosts: ${name}:${port})`;
  return refusal('connect port not in allowlist', { ...whose, more }, loosen);
}
