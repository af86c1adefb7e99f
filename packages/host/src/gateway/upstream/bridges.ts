import type { Bridge } from 'mcp-kit/bridge';
import { KitError } from 'mcp-kit/internal';

/** The bridges to one server: one for all or, where each principal logs in, one for each. */
export interface Bridges {
  /** The bridge for an account, made when it is first needed; without an account that of all. */
  of(account: string | undefined): Promise<Bridge>;
  /** The same, if it was ever needed. */
  opened(account: string | undefined): Bridge | undefined;
  /** All that were. */
  all(): readonly Bridge[];
  /** Ends that of an account; what is needed later is made anew. */
  drop(account: string | undefined): Promise<void>;
  /** Ends all of them; what is needed later is made anew. */
  end(): Promise<void>;
}

/** Nothing is under way on most of them: they are kept for what they know. */
const maxBridges = 1000;

/** `dropped` is told when one is ended while the others stay. */
export function createBridges(
  make: (account: string | undefined) => Promise<Bridge>,
  dropped: (account: string | undefined) => void,
): Bridges {
  const made = new Map<string | undefined, Promise<Bridge>>();
  const ready = new Map<string | undefined, Bridge>();
  const letGo = (account: string | undefined): void => {
    made.delete(account);
    ready.delete(account);
  };
  const drop = async (account: string | undefined): Promise<void> => {
    const dropping = made.get(account);
    letGo(account);
    dropped(account);
    await (await dropping?.catch(() => undefined))?.close();
  };
  const makeRoom = (): void => {
    if (made.size < maxBridges) return;
    const idle = [...ready].find(([, bridge]) => bridge.health().upstreams === 0);
    if (idle === undefined)
      throw new KitError('overloaded', `${maxBridges} principals are at work`);
    void drop(idle[0]);
  };
  return {
    async of(account) {
      const known = made.get(account);
      if (known !== undefined) return known;
      makeRoom();
      const making = make(account);
      made.set(account, making);
      try {
        const bridge = await making;
        if (made.get(account) === making) ready.set(account, bridge);
        return bridge;
      } catch (error) {
        if (made.get(account) === making) letGo(account);
        throw error;
      }
    },
    opened: (account) => ready.get(account),
    all: () => [...ready.values()],
    drop,
    async end() {
      const ending = [...made.values()];
      made.clear();
      ready.clear();
      await Promise.all(ending.map(async (one) => (await one.catch(() => undefined))?.close()));
    },
  };
}
