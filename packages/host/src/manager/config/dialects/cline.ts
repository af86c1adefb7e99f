import path from 'node:path';
import { fieldsOf, type Dialect } from '../dialect.ts';
import {
  alias,
  asRecord,
  flag,
  kindField,
  readField,
  restOf,
  texts,
  time,
  usualFields,
  type Field,
  type Reading,
} from '../field.ts';
import type { Fact } from '../facts.ts';
import { below } from '../place.ts';
import { inProject, ofUser, settingsFolder } from './candidates.ts';

const connection: Readonly<Record<string, Field>> = {
  transportType: alias(kindField({ stdio: 'stdio', sse: 'sse', http: 'http' })),
  type: kindField({ stdio: 'stdio', sse: 'sse', streamableHttp: 'http' }),
  ...usualFields,
};

/** The same fields one level down, as the command line of the host writes them. */
const nested: Field = {
  read(value, place) {
    const raw = asRecord(value, place);
    const reading: Reading = {};
    const keys: Partial<Record<Fact, string>> = {};
    for (const [key, field] of Object.entries(connection)) {
      if (!Object.hasOwn(raw, key)) continue;
      const { rest: _, keys: __, ...facts } = readField(field, raw[key], below(place, key));
      Object.assign(reading, facts);
      for (const fact of Object.keys(facts) as Fact[]) keys[fact] = `transport/${key}`;
    }
    const rest = Object.entries(raw).filter(([key]) => !Object.hasOwn(connection, key));
    return { ...reading, keys, rest: restOf(rest) };
  },
  write: () => undefined,
};

const storage = (publisher: string): string =>
  path.join('Code', 'User', 'globalStorage', publisher, 'settings');

/** Cline: seconds, and a URL alone is the SSE transport. */
export const cline: Dialect = {
  id: 'cline',
  title: 'Cline',
  format: 'jsonc',
  home: ['mcpServers'],
  fields: fieldsOf({
    ...connection,
    transport: nested,
    disabled: flag('enabled', true),
    timeout: time('requestMs', 's'),
    autoApprove: texts('autoApprove'),
  }),
  alsoKnown: new Set(['oauth', 'metadata', 'remoteConfigured']),
  urlAlone: 'sse',
  syntax: { forms: ['brace-env'], unset: 'refuse' },
  owns: /cline_mcp_settings\.json$/,
  where(surroundings) {
    const file = path.join(storage('saoudrizwan.claude-dev'), 'cline_mcp_settings.json');
    return ofUser('cline', settingsFolder(surroundings), file);
  },
};

/** Roo Code: seconds, and a URL alone is the SSE transport. */
export const roo: Dialect = {
  id: 'roo',
  title: 'Roo Code',
  format: 'jsonc',
  home: ['mcpServers'],
  fields: fieldsOf({
    type: kindField({ stdio: 'stdio', sse: 'sse', 'streamable-http': 'http' }),
    ...usualFields,
    disabled: flag('enabled', true),
    timeout: time('requestMs', 's'),
    alwaysAllow: texts('autoApprove'),
    disabledTools: texts('deny'),
  }),
  alsoKnown: new Set(['watchPaths']),
  urlAlone: 'sse',
  syntax: { forms: ['brace-env', 'place'], unset: 'refuse' },
  owns: /(^|\/)((\.roo|\.kilocode)\/mcp\.json|mcp_settings\.json)$/,
  where: (surroundings) => [
    inProject('roo', surroundings, path.join('.roo', 'mcp.json')),
    ...ofUser(
      'roo',
      settingsFolder(surroundings),
      path.join(storage('rooveterinaryinc.roo-cline'), 'mcp_settings.json'),
    ),
  ],
};
