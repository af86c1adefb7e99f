import { isIP } from 'node:net';
import { metaKeys, modernVersion, supportedVersions } from 'mcp-kit/protocol';
import { firstTool } from '../samples/server.ts';

/** What to print when serving has begun, and the same as data. */
export interface Announcement {
  readonly text: string;
  readonly json: object;
}

/** One call of the first sample tool, complete in itself: revision 2026-07-28 needs no handshake. */
const callParams = {
  name: firstTool,
  arguments: {},
  _meta: { [metaKeys.protocolVersion]: modernVersion, [metaKeys.clientCapabilities]: {} },
};
const callBody = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: callParams,
});

const revisions = `MCP ${supportedVersions.at(-1)} to ${supportedVersions[0]}`;

/** How to reach an HTTP endpoint. */
export function announceHttp(url: string): Announcement {
  const reachable = reachableUrl(url);
  const config = { mcpServers: { demo: { type: 'http', url: reachable } } };
  const headers = [
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    `MCP-Protocol-Version: ${modernVersion}`,
    'Mcp-Method: tools/call',
    `Mcp-Name: ${firstTool}`,
  ];
  const flags = headers.map((header) => `-H ${quoted(header)}`).join(' ');
  const tryIt = `curl -sS ${flags} -d ${quoted(callBody)} ${quoted(reachable)}`;
  return {
    json: { transport: 'http', url, config, try: tryIt },
    text: [
      `Serving sample tools at ${url} (${revisions})`,
      '',
      'Client configuration, for mcp.json:',
      JSON.stringify(config, undefined, 2),
      '',
      'Call a tool:',
      tryIt,
      '',
      'Stop with Ctrl-C.',
    ].join('\n'),
  };
}

/** How to reach a unix socket. */
export function announceUnix(path: string): Announcement {
  const connect = `process.stdin.pipe(require("node:net").connect(process.argv[1])).pipe(process.stdout)`;
  const tryIt = `echo ${quoted(callBody)} | node -e ${quoted(connect)} ${quoted(path)}`;
  return {
    json: { transport: 'unix', path, try: tryIt },
    text: [
      `Serving sample tools on the unix socket ${path}, one message per line (${revisions})`,
      '',
      'Call a tool:',
      tryIt,
      '',
      'Stop with Ctrl-C.',
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

/** A word for a POSIX shell. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
