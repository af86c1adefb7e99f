import { KitError } from '#base';
import type { Session, SessionOptions } from '#client';
import type { Target } from '#protocol';
import type { ChildOptions } from '#transport/child-process';

/** Where a server is: a URL, the path of a unix socket, a program to start, or a target made by a transport. */
export type Place = string | URL | ChildOptions | Target;

/** Opens a session with a server of any revision, wherever it is. */
export async function connect(place: Place, options?: SessionOptions): Promise<Session> {
  const [{ openSession }, target] = await Promise.all([import('#client'), targetOf(place)]);
  return openSession(target, options);
}

async function targetOf(place: Place): Promise<Target> {
  if (typeof place === 'string' || place instanceof URL) return targetAt(String(place));
  if ('dial' in place) return place;
  const { childTarget } = await import('#transport/child-process');
  return childTarget(place);
}

async function targetAt(place: string): Promise<Target> {
  if (/^https?:/i.test(place)) {
    const { httpTarget } = await import('#transport/http-client');
    return httpTarget(place);
  }
  if (/^\w{2,}:/.test(place)) {
    throw new KitError('invalid_argument', `${place}: no server can be reached that way`, {
      hint: 'Give an http or https URL, the path of a unix socket, or { command, args }.',
    });
  }
  const { socketTarget } = await import('#transport');
  return socketTarget(place);
}
