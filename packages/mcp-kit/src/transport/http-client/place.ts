/** The address as it may be shown: without credentials and query. */
export function labelOf(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

/** The host of a URL; an address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

/** The port of a URL, also where it does not say it. */
export function portOf({ port, protocol }: URL): number {
  return port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port);
}
