import path from 'node:path';
import { usageError, type OptionValues } from '../args.ts';
import { readMs, readNumber } from '../arguments/number.ts';
import type { Globals } from '../globals.ts';
import { helpHint } from '../help.ts';
import { readTarget, type Target } from '../target.ts';
import { operatorNames } from '../serve/options.ts';
import { readName, readPath, readPort } from '../serve/read-values.ts';
import { readServerSection } from '../serve/server-section.ts';
import { refuseWorkers, type Place } from '../serve/settings.ts';
import type { bridgeOptions } from './options.ts';

/** A command line that has been understood. */
export interface Plan {
  /** Where clients come from. */
  readonly front: Place;
  /** With the server as their target, unless a configuration file has it. */
  readonly globals: Globals;
  readonly server: string;
  readonly timeoutMs: number | undefined;
  readonly maxUpstreams: number | undefined;
}

export interface Given {
  readonly server: string | undefined;
  readonly values: OptionValues<typeof bridgeOptions>;
  readonly globals: Globals;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const help = helpHint('bridge');

/** Variables that an earlier program of this kind read. */
const urlName = 'COCOS_MCP_HTTP_URL';
const timeoutName = 'COCOS_MCP_HTTP_TIMEOUT_MS';

/** Turns options into a plan; what contradicts itself is a usage error. */
export async function readPlan(given: Given): Promise<Plan> {
  const { values, globals, env } = given;
  const typed = typedTarget(given);
  const { server } = given;
  const isListed = server !== undefined && typed === undefined;
  const isServer = !isListed && typed === undefined && values.unix !== undefined;
  const target = isListed
    ? undefined
    : (typed ?? (isServer ? unixTarget(values.unix) : defaultTarget(env)));
  const { unix: _server, ...listens } = values;
  const waitMs = globals.timeoutMs ?? readMs(timeoutName, variable(env, timeoutName));
  return {
    front: await readFront(isServer ? listens : values),
    globals: { ...globals, target },
    server: target?.name ?? server ?? '',
    timeoutMs: waitMs,
    maxUpstreams: readMaxUpstreams(values['max-upstreams']),
  };
}

function readMaxUpstreams(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const hint = 'Use a whole number from 1 on.';
  return readNumber('--max-upstreams', text, { least: 1, most: 999_999, hint });
}

/** The server that the words of the command line say how to reach; none where they only name one of a file. */
function typedTarget({ server, values, globals }: Given): Target | undefined {
  const ways: string[] = [];
  if (server !== undefined) ways.push(server);
  if (values.url !== undefined) ways.push('--url');
  if (globals.target !== undefined) ways.push('a command after --');
  if (ways.length > 1) {
    throw usageError(`${ways[0]} and ${ways[1]} exclude each other`, 'Name one server.');
  }
  if (server?.startsWith('unix:')) return unixTarget(server.slice('unix:'.length));
  const { header } = values;
  if (server !== undefined && !server.includes('://')) {
    if (header !== undefined) throw usageError('--header needs a URL', help);
    return undefined;
  }
  return globals.target ?? readTarget({ url: server ?? values.url, header }, undefined);
}

function unixTarget(socket: string | undefined): Target {
  const place = path.resolve(socket ?? '');
  return { kind: 'unix', name: path.basename(place), path: place };
}

/** What the environment says; nothing where it says it with no words. */
function variable(env: Given['env'], name: string): string | undefined {
  return env[name] === '' ? undefined : env[name];
}

/** The server that the environment names. */
function defaultTarget(env: Given['env']): Target {
  const url = variable(env, urlName);
  if (url !== undefined && !/^https?:/i.test(url)) {
    throw usageError(
      `${urlName} is not an http or https URL`,
      'Write it in full: https://example.com/mcp',
    );
  }
  const target = url === undefined ? undefined : readTarget({ url }, undefined);
  if (target !== undefined) return target;
  const how =
    'Name it: mcpctl bridge https://example.com/mcp, or mcpctl bridge --http :8000 -- npx some-server';
  throw usageError('no server to bridge to', `${how}. ${help}`);
}

async function readFront(values: Given['values']): Promise<Place> {
  const { http, unix } = values;
  if (http !== undefined && unix !== undefined) {
    throw usageError('--http and --unix exclude each other', `Leave out one of them. ${help}`);
  }
  if (http === undefined) {
    const stray = httpOnly.find((name) => values[name] !== undefined);
    if (stray !== undefined) throw usageError(`--${stray} needs --http`, help);
    return unix === undefined ? { kind: 'stdio' } : { kind: 'unix', path: path.resolve(unix) };
  }
  refuseWorkers(values, 'each process would have conversations of its own with the server');
  const at = http.lastIndexOf(':');
  const port = http.slice(at + 1);
  readPort(port, '--http');
  const { 'http-path': place, settings } = values;
  if (place !== undefined) readPath(place, '--http-path');
  const server = await readServerSection({
    ...values,
    port,
    host: at > 0 ? readName('--http', http.slice(0, at)) : undefined,
    path: place,
    config: settings,
  });
  return { kind: 'http', server };
}

const httpOnly = ['http-path', 'settings', ...operatorNames] as const;
