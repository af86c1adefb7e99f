import { fileURLToPath } from 'node:url';
import { createApi, type ApiOptions } from './api/api.ts';
import { openDoor, type Door } from './door/door.ts';

export type { ServerActions } from './api/api.ts';
export { createFeed, type Feed } from './feed/feed.ts';
export { createWatch, type Watch } from './feed/watch.ts';

/** What a console shows, and where. */
export interface ConsoleOptions extends ApiOptions {
  /** A free one, unless given. */
  readonly port?: number | undefined;
  /** The folder of the built page. */
  readonly page?: string | undefined;
}

/** A console that is open until it is closed. */
export type Console = Omit<Door, 'close'> & AsyncDisposable;

/** Opens a page, for browsers on this machine that come by its links, where people see what clients and servers say. */
export async function openConsole({
  port = 0,
  page,
  ...options
}: ConsoleOptions): Promise<Console> {
  const api = createApi(options);
  const folder = page ?? fileURLToPath(new URL('page', import.meta.url));
  const { url, link, close } = await openDoor(api, { port, page: folder });
  return {
    url,
    link,
    async [Symbol.asyncDispose]() {
      await close();
      await api.close();
    },
  };
}
