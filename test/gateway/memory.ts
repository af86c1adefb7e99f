import type { Session } from 'mcp-kit/client';
import { KitError } from 'mcp-kit/internal';
import type { Service, Target } from 'mcp-kit/protocol';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { memoryPair, serveChannel } from 'mcp-kit/transport';

/** A server in this process, as a target; each dial is a conversation of its own, perhaps with a server of its own. */
export function inMemory(service: Service | (() => Service), key: string): Target {
  return {
    label: key,
    key,
    wire: 'stream',
    async dial() {
      const [near, far] = memoryPair();
      serveChannel(typeof service === 'function' ? service() : service, far);
      return near;
    },
  };
}

export function toolsNamed(...names: string[]): ReturnType<typeof toolSet> {
  return toolSet(names.map((name) => tool({ name, description: name, run: () => name })));
}

export const simple = (name: string, ...tools: string[]): Target =>
  inMemory(createServer({ name, version: '1', features: [toolsNamed(...tools)] }), name);

/** One that cannot be reached, and one that never answers. */
export const dead: Target = {
  label: 'dead',
  key: 'dead',
  wire: 'stream',
  dial: () => Promise.reject(new KitError('unreachable', 'nobody is there')),
};
export const silent = (): Target => ({
  label: 'silent',
  key: 'silent',
  wire: 'stream',
  async dial() {
    return memoryPair()[0];
  },
});

/** The names of all tools that a client sees. */
export async function namesOf(session: Session): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of session.tools()) names.push(name);
  return names;
}
