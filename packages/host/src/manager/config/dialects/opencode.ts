import path from 'node:path';
import { isRecord } from 'mcp-kit/internal';
import { fieldsOf, type Dialect } from '../dialect.ts';
import {
  asRecord,
  commandLine,
  flag,
  kindField,
  oauthField,
  restOf,
  text,
  textMap,
  time,
  type Field,
  type Reading,
} from '../field.ts';
import { below } from '../place.ts';
import { valueAt } from '../values.ts';
import { configFolder, inProject, ofUser } from './candidates.ts';

const requestTime = time('requestMs', 'ms');
const startupTime = time('startupMs', 'ms');

/** The times to start and to answer, each with a name. */
const times: Field = {
  read(value, place) {
    if (typeof value === 'number') return requestTime.read(value, place);
    const { startup, request, ...rest } = asRecord(value, place);
    const reading: Reading = { rest: restOf(Object.entries(rest)) };
    if (startup !== undefined) {
      Object.assign(reading, startupTime.read(startup, below(place, 'startup')));
    }
    if (request !== undefined) {
      Object.assign(reading, requestTime.read(request, below(place, 'request')));
    }
    return reading;
  },
  write({ startupMs, requestMs }) {
    if (startupMs === undefined && requestMs === undefined) return undefined;
    return { startup: startupMs, request: requestMs };
  },
};

const connection = {
  type: kindField(
    { local: 'stdio', remote: 'auto' },
    { stdio: 'local', http: 'remote', sse: 'remote', auto: 'remote' },
  ),
  command: commandLine,
  cwd: text('cwd'),
  environment: textMap('env'),
  url: text('url'),
  headers: textMap('headers'),
  oauth: oauthField(
    {
      clientId: 'clientId',
      clientSecret: 'clientSecret',
      scopes: 'scope',
      redirectUri: 'redirectUri',
    },
    'words',
  ),
} satisfies Record<string, Field>;

/** A map of servers named `servers`, as opposed to a server of that name. */
function hasServers(document: unknown): boolean {
  const servers = valueAt(document, ['mcp', 'servers']);
  return isRecord(servers) && typeof servers['type'] !== 'string';
}

/** OpenCode: servers right below `mcp`. */
export const opencode: Dialect = {
  id: 'opencode',
  title: 'OpenCode',
  format: 'jsonc',
  home: ['mcp'],
  sections: (document) => [
    { path: ['mcp'], except: hasServers(document) ? ['servers', 'timeout'] : undefined },
  ],
  fields: fieldsOf({ ...connection, enabled: flag('enabled'), timeout: requestTime }),
  urlAlone: 'auto',
  syntax: { forms: ['curly'], unset: 'refuse' },
  owns: /(^|\/)(opencode|kilo)\.jsonc?$/,
  where: (surroundings) => [
    inProject('opencode', surroundings, 'opencode.json', 'opencode.jsonc'),
    inProject(
      'opencode',
      surroundings,
      path.join('.opencode', 'opencode.json'),
      path.join('.opencode', 'opencode.jsonc'),
    ),
    ...ofUser(
      'opencode',
      configFolder(surroundings),
      path.join('opencode', 'opencode.json'),
      path.join('opencode', 'opencode.jsonc'),
    ),
  ],
};

/** OpenCode, second form: servers below `mcp.servers`, `disabled`, and two times. */
export const opencodeV2: Dialect = {
  ...opencode,
  id: 'opencode-v2',
  title: 'OpenCode v2',
  home: ['mcp', 'servers'],
  sections: (document) => (hasServers(document) ? [{ path: ['mcp', 'servers'] }] : []),
  fields: fieldsOf({ ...connection, disabled: flag('enabled', true), timeout: times }),
};
