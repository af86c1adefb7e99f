import type { Readable, Writable } from 'node:stream';
import { KitError, type Channel, type Target } from 'mcp-kit/internal';

/** Two streams that the caller brings: what the server says, and what it hears. */
export interface GivenStreams {
  readonly readable: Readable;
  readonly writable: Writable;
}

/** What the caller brings, as a target. It serves one conversation: only whoever brought it can bring another. */
export function givenTarget(name: string, given: Channel | GivenStreams): Target {
  let isUsed = false;
  return {
    label: name,
    // What one such channel speaks says nothing of the next.
    key: `given:${name}:${(count += 1)}`,
    wire: 'stream',
    dial: () => {
      if (isUsed) {
        throw new KitError('closed', `the channel that was given for ${name} has ended`, {
          hint: 'Give another one, or connect to the server as it is configured.',
        });
      }
      isUsed = true;
      return 'start' in given ? given : channelOver(given);
    },
  };
}

async function channelOver({ readable, writable }: GivenStreams): Promise<Channel> {
  const { StreamChannel } = await import('mcp-kit/transport');
  return new StreamChannel(readable, writable, { alwaysReads: true });
}

let count = 0;
