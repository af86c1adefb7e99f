import { KitError, startTimer } from '#base';
import type { Channel } from '#jsonrpc';
import type { Target } from '#protocol';
import { HttpChannel } from './http-channel.ts';
import { labelOf, parseUrl, settle, type HttpClientOptions, type Settings } from './options.ts';
import { SseChannel } from './sse-channel.ts';

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
      if (signal?.aborted) throw aborted(signal, labelOf(place));
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
      if (signal?.aborted) throw aborted(signal, labelOf(place));
      return openSse(place, settings, signal);
    },
  };
}

async function openSse(
  place: URL,
  settings: Settings,
  signal: AbortSignal | undefined,
): Promise<Channel> {
  const { connectTimeoutMs } = settings;
  const channel = new SseChannel(place, settings);
  const hangUp = (): void => {
    if (signal !== undefined) channel.end(aborted(signal, labelOf(place)));
  };
  const timer = startTimer(() => {
    const message = `${labelOf(place)} named no endpoint within ${connectTimeoutMs} ms`;
    channel.end(new KitError('timeout', message, { hint: 'Raise connectTimeoutMs.' }));
  }, connectTimeoutMs);
  signal?.addEventListener('abort', hangUp, { once: true });
  try {
    await channel.opened;
    return channel;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', hangUp);
  }
}

function aborted(signal: AbortSignal, label: string): KitError {
  return new KitError('aborted', `${label}: given up by the caller`, { cause: signal.reason });
}

/** The URL without what differs between callers of the same server. */
function keyOf(url: URL): string {
  const key = new URL(url);
  key.username = '';
  key.password = '';
  key.hash = '';
  return key.href;
}
