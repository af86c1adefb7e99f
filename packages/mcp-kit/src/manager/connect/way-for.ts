import type { Channel } from '#jsonrpc';
import type { Target } from '#protocol';
import type { ServerEntry } from '../config/entry.ts';
import { approach, type Openings } from './open.ts';

/** The way to a server for those who speak with it themselves: each conversation is let in, and let go of, on its own. */
export async function wayFor(entry: ServerEntry, openings: Openings): Promise<Target> {
  const { target, release } = await approach(entry, openings, () => {});
  release();
  const { fallback } = target;
  const dialling =
    (find: (found: Target) => Target | undefined): Target['dial'] =>
    async (signal) => {
      const own = await approach(entry, openings, () => {});
      try {
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
    ...(fallback && { fallback: { ...fallback, dial: dialling((found) => found.fallback) } }),
  };
}

/** Whoever holds a channel closes it, also when the other side went first. */
function letGoWhenClosed(channel: Channel, release: () => void): Channel {
  return {
    start: channel.start.bind(channel),
    send: channel.send.bind(channel),
    reply: channel.reply.bind(channel),
    ...(channel.release && { release: channel.release.bind(channel) }),
    drained: channel.drained.bind(channel),
    close: () => channel.close().finally(release),
  };
}
