import { KitError } from '#base';
import type { Session, ToolGuard } from '#client';
import type { Channel } from '#jsonrpc';
import type { Target } from '#protocol';
import type { ServerEntry } from '../config/entry.ts';
import { Toolbox, type Holding } from '../tools/toolbox.ts';
import { trustCommand } from '../trust/trust-command.ts';
import { approach, type Approach, type Openings } from './open.ts';

/** The way to a server for those who pass on what others ask of it. */
export interface Passage {
  /** Every dial asks again whether it may be used. */
  readonly target: Target;
  /** Holds a session over that way to the tools that were approved and configured. */
  guard(session: Session): ToolGuard;
}

/** The same as `wayFor`, with what the configuration says of the tools; only of a server that is trusted, as it may ask back. */
export async function passageFor(entry: ServerEntry, openings: Openings): Promise<Passage> {
  const { name, tools } = entry;
  const holding: Holding = { known: {} };
  const target = await wayFor(entry, openings, (found) => {
    if (!found.isTrusted) throw notTrusted(name);
    holding.known = found.holding.known;
  });
  const { toolCache: cache, gate } = openings;
  const { receipts } = gate;
  return {
    target,
    guard: (session) => new Toolbox(session, { name, entry, tools, holding, cache, receipts }),
  };
}

function notTrusted(server: string): KitError {
  return new KitError(
    'refused_by_policy',
    `${server} is not approved, and what it asks would reach whoever uses the bridge`,
    { hint: `If you trust it: ${trustCommand('approve', server)}. Or type its URL yourself.` },
  );
}

/** The way to a server for those who speak with it themselves: each conversation is let in, and let go of, on its own. */
export async function wayFor(
  entry: ServerEntry,
  openings: Openings,
  look: (found: Approach) => void = () => {},
): Promise<Target> {
  const first = await approach(entry, openings, () => {});
  first.release();
  look(first);
  const { target } = first;
  const { fallback } = target;
  const dialling =
    (find: (found: Target) => Target | undefined): Target['dial'] =>
    async (signal) => {
      const own = await approach(entry, openings, () => {});
      try {
        look(own);
        const channel = await (find(own.target) ?? own.target).dial(signal);
        return letGoWhenClosed(channel, own.release);
      } catch (error) {
        own.release();
        throw error;
      }
    };
  return {
    ...target,
    dial: dialling((found) => found),
    fallback: fallback && { ...fallback, dial: dialling((found) => found.fallback) },
  };
}

/** Whoever holds a channel closes it, also when the other side went first. */
function letGoWhenClosed(channel: Channel, release: () => void): Channel {
  const close = channel.close.bind(channel);
  channel.close = () => close().finally(release);
  return channel;
}
