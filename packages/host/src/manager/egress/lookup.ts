import { createDeferred, unref } from 'mcp-kit/internal';
import { checkAddress, type Limits, type Place } from './check.ts';
import { lookupFailed } from './refusals.ts';

/** Finds every address of a name. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/** The addresses of a place: all may be connected to, and no others. */
export type Lookup = (place: Place) => Promise<readonly string[]>;

/** Names looked up at the same time; the threads that do it also read files. */
const maxLookups = 2;

/** Looks a name up within the time allowed, and lets no answer pass of which any address is bad. */
export function createLookup(limits: Limits, resolve: Resolve = askSystem): Lookup {
  const ask = shared(limited(resolve));
  const { rules, ...whose } = limits;
  const isPatient = rules.dnsFailOpen || !rules.dnsCheck;
  return async (place) => {
    const { host } = place;
    const found = await within(isPatient ? undefined : rules.dnsTimeoutMs, ask(host)).catch(
      (error: unknown) => {
        throw lookupFailed('failed', { ...whose, host }, error);
      },
    );
    if (found === 'late') throw lookupFailed('timed out', { ...whose, host });
    if (found.length === 0) throw lookupFailed('failed', { ...whose, host });
    for (const address of rules.dnsCheck ? found : []) {
      const refused = checkAddress(limits, place, address);
      if (refused !== undefined) throw refused;
    }
    return found;
  };
}

async function askSystem(host: string): Promise<readonly string[]> {
  const { promises, ADDRCONFIG } = process.getBuiltinModule('node:dns');
  const answer = await promises.lookup(host, { all: true, hints: ADDRCONFIG });
  return answer.map(({ address }) => address);
}

/** One question per name at a time; whoever asks meanwhile gets the same answer. */
function shared(resolve: Resolve): Resolve {
  const asked = new Map<string, Promise<readonly string[]>>();
  return (host) => {
    const known = asked.get(host);
    if (known !== undefined) return known;
    const asking = resolve(host).finally(() => asked.delete(host));
    asked.set(host, asking);
    return asking;
  };
}

/** Lets a few questions be under way; a late one counts until it is really over. */
function limited(resolve: Resolve): Resolve {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  return async (host) => {
    if (underWay === maxLookups) {
      const { promise, resolve: go } = createDeferred<void>();
      waiting.push(go);
      await promise;
    } else {
      underWay += 1;
    }
    try {
      return await resolve(host);
    } finally {
      const next = waiting.shift();
      if (next === undefined) underWay -= 1;
      else next();
    }
  };
}

async function within<T>(ms: number | undefined, promise: Promise<T>): Promise<T | 'late'> {
  if (ms === undefined) return promise;
  const { promise: late, resolve } = createDeferred<'late'>();
  const timer = unref(setTimeout(() => resolve('late'), ms));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
