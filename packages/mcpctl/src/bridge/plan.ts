import path from 'node:path';
import { usageError, type OptionValues } from '../args.ts';
import { readMs, type Globals } from '../globals.ts';
import { helpHint } from '../help.ts';
import { readTarget, type Target } from '../target.ts';
import { readName, readPath, readPort } from '../serve/read-values.ts';
import type { bridgeOptions } from './options.ts';

/** Where clients come from. */
export type Front =
  | { readonly kind: 'stdio' }
  | { readonly kind: 'unix'; readonly path: string }
  | {
      readonly kind: 'http';
      readonly host: string;
      readonly port: number;
      readonly path: string;
      readonly insecure: boolean;
      readonly allowedHosts: readonly string[];
      readonly allowedOrigins: readonly string[];
    };

/** A command line that has been understood. */
export interface Plan {
  readonly front: Front;
  /** With the server that is meant as their target. */
  readonly globals: Globals;
  readonly server: string;
  readonly timeoutMs: number | undefined;
  readonly maxUpstreams: number | undefined;
}

export interface Given {
  readonly url: string | undefined;
  readonly values: OptionValues<typeof bridgeOptions>;
  readonly globals: Globals;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const help = helpHint('bridge');

/** Turns options into a plan; what contradicts itself is a usage error. */
export function readPlan(given: Given): Plan {
  const { values, globals, env } = given;
  const named = namedTarget(given);
  const isServer = named === undefined && values.unix !== undefined;
  const target = named ?? (isServer ? unixTarget(values.unix) : defaultTarget(env));
  const { unix: _server, ...listens } = values;
  const limit = values['max-upstreams'];
  if (limit !== undefined && !/^[1-9]\d{0,5}$/.test(limit)) {
    throw usageError(`--max-upstreams cannot be "${limit}"`, 'Use a whole number from 1 on.');
  }
  const waitMs = globals.timeoutMs ?? readMs('timeout-ms', env['COCOS_MCP_HTTP_TIMEOUT_MS']);
  return {
    front: readFront(isServer ? listens : values),
    globals: { ...globals, target },
    server: target.name,
    timeoutMs: waitMs,
    maxUpstreams: limit === undefined ? undefined : Number(limit),
  };
}

/** The server that the words of the command line name. */
function namedTarget({ url, values, globals }: Given): Target | undefined {
  const ways = [
    ...(url === undefined ? [] : [url]),
    ...(values.url === undefined ? [] : ['--url']),
    ...(globals.target === undefined ? [] : ['a command after --']),
  ];
  if (ways.length > 1) {
    throw usageError(`${ways[0]} and ${ways[1]} exclude each other`, 'Name one server.');
  }
  if (url?.startsWith('unix:')) return unixTarget(url.slice('unix:'.length));
  const given = url ?? values.url;
  const { header } = values;
  return (
    globals.target ??
    readTarget({ ...(given && { url: given }), ...(header && { header }) }, undefined)
  );
}

function unixTarget(socket: string | undefined): Target {
  const place = path.resolve(socket ?? '');
  return { kind: 'unix', name: path.basename(place), path: place };
}

/** The server that the environment names, under the name that a forerunner of this command used. */
function defaultTarget(env: Given['env']): Target {
  const url = env['COCOS_MCP_HTTP_URL'];
  const target = url === undefined || url === '' ? undefined : readTarget({ url }, undefined);
  if (target !== undefined) return target;
  const how =
    'Name it: mcpctl bridge https://example.com/mcp, or mcpctl bridge --http :8000 -- npx some-server';
  throw usageError('no server to bridge to', `${how}. ${help}`);
}

function readFront(values: Given['values']): Front {
  const { http, unix } = values;
  if (http !== undefined && unix !== undefined) {
    throw usageError('--http and --unix exclude each other', `Leave out one of them. ${help}`);
  }
  const stray = (['http-path', 'insecure', 'allowed-host', 'allowed-origin'] as const).find(
    (name) => values[name] !== undefined,
  );
  if (http === undefined) {
    if (stray !== undefined) throw usageError(`--${stray} needs --http`, help);
    return unix === undefined ? { kind: 'stdio' } : { kind: 'unix', path: path.resolve(unix) };
  }
  const at = http.lastIndexOf(':');
  const host = at > 0 ? readName('--http', http.slice(0, at)) : '127.0.0.1';
  return {
    kind: 'http',
    host,
    port: readPort(http.slice(at + 1), '--http'),
    path: readPath(values['http-path'] ?? '/mcp'),
    insecure: values.insecure ?? false,
    allowedHosts: values['allowed-host'] ?? [],
    allowedOrigins: values['allowed-origin'] ?? [],
  };
}
