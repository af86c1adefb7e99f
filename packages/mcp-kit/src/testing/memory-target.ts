import type { Service, Target } from '#protocol';
import { memoryPair, serveChannel } from '#transport';

let targets = 0;

/** A server within this process as a client reaches it; every dial opens a conversation of its own. */
export function memoryTarget(service: Service): Target {
  targets += 1;
  return {
    label: 'memory',
    key: `memory ${targets}`,
    wire: 'stream',
    dial() {
      const [near, far] = memoryPair();
      serveChannel(service, far);
      return near;
    },
  };
}
