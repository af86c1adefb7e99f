import { isIP } from 'node:net';
import { metaKeys, modernVersion, supportedVersions } from 'mcp-kit/protocol';
import { commandLine } from '../shell-words.ts';

/** What to print when serving has begun, and the same as data. */
export interface Announcement {
  readonly text: string;
  readonly json: object;
}

/** What is served, as its users are told. */
export interface Offer {
  /** What there is: `sample tools`. */
  readonly what: string;
  /** What a client may call the server. */
  readonly name: string;
  /** A tool that works without arguments; without one the tools are listed. */
  readonly firstTool?: string | undefined;
  /** Lines that follow the address. */
  readonly more: readonly string[];
  /** Lines that follow the configuration of a client. */
  readonly hosts?: readonly string[] | undefined;
  /** The same, as members of the data. */
  readonly facts?: object | undefined;
}

/** One request, complete in itself: revision 2026-07-28 needs no handshake. */
function firstRequest({ firstTool }: Offer): { readonly method: string; readonly body: string } {
  const _meta = { [metaKeys.protocolVersion]: modernVersion, [metaKeys.clientCapabilities]: {} };
  const isCall = firstTool !== undefined;
  const method = isCall ? 'tools/call' : 'tools/list';
  const params = isCall ? { name: firstTool, arguments: {}, _meta } : { _meta };
  return { method, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) };
}

const revisions = `MCP ${supportedVersions.at(-1)} to ${supportedVersions[0]}`;

/** How to reach an HTTP endpoint. */
export function announceHttp(url: string, offer: Offer): Announcement {
  const reachable = reachableUrl(url);
  const config = { mcpServers: { [offer.name]: { type: 'http', url: reachable } } };
  const { method, body } = firstRequest(offer);
  const headers = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${modernVersion}`,
    `Mcp-Method: ${method}`,
  ];
  if (offer.firstTool !== undefined) headers.push(`Mcp-Name: ${offer.firstTool}`);
  const flags = headers.flatMap((header) => ['-H', header]);
  const tryIt = commandLine(['curl', '-sS', ...flags, '-d', body, reachable]);
  return {
    json: { transport: 'http', url, config, try: tryIt, ...offer.facts },
    text: [
      `Serving ${offer.what} at ${url} (${revisions})`,
      ...offer.more,
      '',
      'Client configuration, for mcp.json:',
      JSON.stringify(config, undefined, 2),
      ...(offer.hosts ?? []),
      ...ending(tryIt, offer),
    ].join('\n'),
  };
}

/** The last lines of an announcement. */
function ending(tryIt: string, { firstTool }: Offer): readonly string[] {
  const what = firstTool === undefined ? 'List the tools:' : 'Call a tool:';
  return ['', what, tryIt, '', 'Stop with Ctrl-C.'];
}

/** How to reach a unix socket. */
export function announceUnix(path: string, offer: Offer): Announcement {
  const connect = `process.stdin.pipe(require("node:net").connect(process.argv[1])).pipe(process.stdout)`;
  const send = commandLine(['echo', firstRequest(offer).body]);
  const tryIt = `${send} | ${commandLine(['node', '-e', connect, path])}`;
  return {
    json: { transport: 'unix', path, try: tryIt, ...offer.facts },
    text: [
      `Serving ${offer.what} on the unix socket ${path}, one message per line (${revisions})`,
      ...offer.more,
      ...ending(tryIt, offer),
    ].join('\n'),
  };
}

/** An address that stands for all addresses is one to listen on, not one to connect to. */
function reachableUrl(url: string): string {
  const { hostname } = new URL(url);
  if (hostname === '0.0.0.0') return url.replace(hostname, '127.0.0.1');
  return isIP(hostname.slice(1, -1)) === 6 && hostname === '[::]'
    ? url.replace('[::]', '[::1]')
    : url;
}
