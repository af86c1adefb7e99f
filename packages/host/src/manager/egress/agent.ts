import type { Agent as HttpAgent, ClientRequestArgs } from 'node:http';
import type { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { SecureContextOptions } from 'node:tls';
import { net, type KitError } from 'mcp-kit/internal';
import { isSameAddress } from './address.ts';
import { checkUrl, placeOf, type Limits, type Place } from './check.ts';
import type { Lookup } from './lookup.ts';
import { refusal, type Whose } from './refusals.ts';

/** Connections that nobody uses are given up after this, or a second before the server says that it does so. */
const idleMs = 60_000;
/** When the system asks a silent peer whether it is still there. */
const probeAfterMs = 30_000;

export interface GuardOptions {
  readonly limits: Limits;
  readonly lookup: Lookup;
  readonly secure: boolean;
  /** Who signs certificates, instead of those whom the system trusts. */
  readonly ca?: SecureContextOptions['ca'] | undefined;
}

/** An agent that checks where it connects to as it connects: the addresses that were checked are those that are tried. */
export function guardedAgent(options: GuardOptions): HttpAgent | HttpsAgent {
  const { limits, secure, ca } = options;
  const common = { keepAlive: true, keepAliveInitialDelay: probeAfterMs, timeout: idleMs };
  const agent = secure
    ? new (process.getBuiltinModule('node:https').Agent)({
        ...common,
        // Said aloud, because an environment variable can say otherwise.
        rejectUnauthorized: true,
        ca,
      })
    : new (process.getBuiltinModule('node:http').Agent)(common);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (asked) => {
    const place = placeIn(limits, secure, asked);
    const checked: string[] = [];
    const route = {
      ...asked,
      host: place.host,
      port: place.port,
      // The certificate must be that of the name, whatever a header says.
      servername: net().isIP(place.host) === 0 ? place.host : '',
      lookup: lookupFor(options.lookup, place, checked),
    };
    if (net().isIP(place.host) !== 0) checked.push(place.host);
    const socket = connect(route) as Socket;
    holdTo(socket, checked, limits);
    return socket;
  };
  return agent;
}

/** Where a request wants to go; throws when it may not. */
function placeIn(limits: Limits, secure: boolean, asked: ClientRequestArgs): Place {
  const { host, port, socketPath } = asked;
  if (typeof socketPath === 'string') {
    throw refusal('connect unix mcp server', limits);
  }
  const name = net().isIPv6(String(host)) ? `[${host}]` : String(host);
  const text = `${secure ? 'https' : 'http'}://${name}:${port ?? ''}`;
  const refused = checkUrl(limits, text);
  if (refused !== undefined) throw refused;
  return placeOf(new URL(text));
}

/** The addresses of one place, for one connection; notes those that it gives. */
function lookupFor(lookup: Lookup, place: Place, checked: string[]): LookupFunction {
  return (_, options, callback) => {
    lookup(place).then(
      (found) => {
        checked.push(...found);
        const answer = found.map((address) => ({ address, family: net().isIP(address) }));
        const [first] = answer;
        if (options.all === true) callback(null, answer);
        else callback(null, first?.address ?? '', first?.family);
      },
      (error: unknown) => callback(error as Error, ''),
    );
  };
}

/** Cuts a connection that leads elsewhere than it should, before anything is sent. */
export function holdTo(socket: Socket, checked: readonly string[], whose: Whose): void {
  socket.prependOnceListener('connect', () => {
    const { remoteAddress } = socket;
    // Without one it is over already.
    if (remoteAddress === undefined) socket.destroy();
    else if (!checked.some((address) => isSameAddress(address, remoteAddress))) {
      socket.destroy(elsewhere(whose, remoteAddress));
    }
  });
}

function elsewhere(whose: Whose, address: string): KitError {
  const what = 'stay connected to an address that was not checked';
  return refusal(what, { ...whose, more: `ip=${address}` });
}
