import { abortedBy } from '#base';
import type { Target } from '#protocol';
import { HttpChannel } from './channel.ts';
import { parseUrl, settle, type HttpClientOptions } from './options.ts';
import { labelOf } from './place.ts';

/** A server of any revision at a URL. */
export function httpTarget(url: string | URL, options: HttpClientOptions = {}): Target {
  const place = parseUrl(url);
  const streamPlace = options.streamUrl === undefined ? undefined : parseUrl(options.streamUrl);
  const settings = settle(options);
  return {
    label: labelOf(place),
    key: keyOf(place),
    wire: 'http',
    get fallback() {
      return sseTarget(place, options);
    },
    dial: (signal) => {
      if (signal?.aborted) throw abortedBy(labelOf(place), signal.reason);
      return new HttpChannel(place, streamPlace, settings);
    },
  };
}

/** A server of revision 2024-11-05 at the URL of its event stream. */
export function sseTarget(url: string | URL, options: HttpClientOptions = {}): Target {
  const place = parseUrl(url);
  const settings = settle(options);
  return {
    label: labelOf(place),
    key: `${keyOf(place)} (sse)`,
    wire: 'http',
    dial: async (signal) => {
      // Hardly any server is that old.
      const { openSse } = await import('./sse-channel.ts');
      return openSse(place, settings, signal);
    },
  };
}

/** The URL without what differs between callers of the same server. */
function keyOf(url: URL): string {
  if (url.username === '' && url.password === '' && url.hash === '') return url.href;
  const key = new URL(url);
  key.username = '';
  key.password = '';
  key.hash = '';
  return key.href;
}
