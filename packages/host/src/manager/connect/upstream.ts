import { KitError, type Channel, type Target } from 'mcp-kit/internal';
import type { CallOptions, Session, ToolGuard } from 'mcp-kit/client';
import type { ServerEntry } from '../config/entry.ts';
import type { ToolListing } from '../tools/listing.ts';
import { ToolPolicy, type Holding } from '../tools/tool-policy.ts';
import { trustCommand } from '../trust/trust-command.ts';
import { approach, forAccount, type Approach, type Openings } from './open.ts';

/** A trusted server for those who hold conversations of their own with it, as a bridge does. */
export interface Upstream {
  /** Every dial asks again whether the server may be used. */
  readonly target: Target;
  /** Holds a session with that target to the tools that were approved and configured. */
  guard(session: Session): HeldTools;
}

/** Which of several ways to a server is meant. */
export interface UpstreamChoice {
  /** With the login of this account, instead of that of the server's own user. */
  readonly account?: string | undefined;
}

/** The tools of a session, held to what was approved and configured. */
interface HeldTools extends ToolGuard {
  /** All of them: those that may be used, and why others may not. */
  listing(options?: CallOptions): Promise<ToolListing>;
}

/** The upstream of an entry. Only of a server that is trusted, as it may ask back; each conversation is admitted by itself. */
export async function upstreamFor(
  entry: ServerEntry,
  given: Openings,
  { account }: UpstreamChoice = {},
): Promise<Upstream> {
  const openings = forAccount(given, account);
  const { name, tools } = entry;
  const { toolCache: cache, admission } = openings;
  const holding: Holding = { known: {} };
  const reach = async (): Promise<Approach> => {
    const found = await approach(entry, openings, () => {});
    if (!found.isTrusted) {
      found.release();
      throw notTrusted(name);
    }
    holding.known = found.holding.known;
    return found;
  };
  const dialling =
    (find: (found: Target) => Target | undefined): Target['dial'] =>
    async (signal) => {
      const own = await reach();
      try {
        const channel = await (find(own.target) ?? own.target).dial(signal);
        return releasedWhenClosed(channel, own.release);
      } catch (error) {
        own.release();
        throw error;
      }
    };
  const { target, release } = await reach();
  release();
  const { fallback } = target;
  return {
    target: {
      ...target,
      dial: dialling((found) => found),
      fallback: fallback && { ...fallback, dial: dialling((found) => found.fallback) },
    },
    guard: (session) =>
      new ToolPolicy(session, { name, entry, tools, holding, cache, receipts: admission.receipts }),
  };
}

function notTrusted(server: string): KitError {
  return new KitError(
    'refused_by_policy',
    `${server} is not approved, and what it asks would reach whoever uses the bridge`,
    { hint: `If you trust it: ${trustCommand('approve', server)}. Or type its URL yourself.` },
  );
}

/** Whoever holds a channel closes it, also when the other side went first. */
function releasedWhenClosed(channel: Channel, release: () => void): Channel {
  const close = channel.close.bind(channel);
  channel.close = () => close().finally(release);
  return channel;
}
