import path from 'node:path';
import { fieldsOf, type Dialect } from '../dialect.ts';
import {
  asRecord,
  asTexts,
  flag,
  kindField,
  oauthField,
  plainFields,
  restOf,
  texts,
  time,
  usualFields,
  type Field,
  type Reading,
} from '../field.ts';
import { below } from '../place.ts';
import { noReferences } from '../template.ts';
import { configFolder, inProject, ofUser } from './candidates.ts';

const inHome =
  (dialect: Dialect['id'], ...parts: readonly string[]): NonNullable<Dialect['where']> =>
  ({ home }) =>
    ofUser(dialect, home, path.join(...parts));

/** Kiro, which tells the transport by the fields that are there. */
export const kiro: Dialect = {
  id: 'kiro',
  title: 'Kiro',
  format: 'jsonc',
  home: ['mcpServers'],
  fields: fieldsOf({
    ...plainFields,
    oauth: oauthField({ clientId: 'clientId' }),
    disabled: flag('enabled', true),
    autoApprove: texts('autoApprove'),
    disabledTools: texts('deny'),
  }),
  alsoKnown: new Set(['oauthScopes']),
  urlAlone: 'http',
  syntax: { forms: ['brace'], unset: 'refuse' },
  owns: /(^|\/)\.kiro\/settings\/mcp\.json$/,
  where: (surroundings) => [
    inProject('kiro', surroundings, path.join('.kiro', 'settings', 'mcp.json')),
    ...inHome('kiro', '.kiro', 'settings', 'mcp.json')(surroundings),
  ],
};

/** Factory's droid. */
export const factory: Dialect = {
  id: 'factory',
  title: 'Factory',
  format: 'jsonc',
  home: ['mcpServers'],
  fields: fieldsOf({
    type: kindField({ stdio: 'stdio', http: 'http' }),
    ...plainFields,
    disabled: flag('enabled', true),
    disabledTools: texts('deny'),
  }),
  urlAlone: 'http',
  syntax: { forms: ['brace'], unset: 'refuse' },
  owns: /(^|\/)\.factory\/mcp\.json$/,
  where: (surroundings) => [
    inProject('factory', surroundings, path.join('.factory', 'mcp.json')),
    ...inHome('factory', '.factory', 'mcp.json')(surroundings),
  ],
};

/** Amp, whose settings have flat names. */
export const amp: Dialect = {
  id: 'amp',
  title: 'Amp',
  format: 'jsonc',
  home: ['amp.mcpServers'],
  fields: fieldsOf({
    ...plainFields,
    disabled: flag('enabled', true),
    includeTools: texts('allow'),
  }),
  urlAlone: 'auto',
  syntax: { forms: ['brace'], unset: 'refuse' },
  owns: /(^|\/)(\.amp|amp)\/settings\.json$/,
  where: (surroundings) => [
    inProject('amp', surroundings, path.join('.amp', 'settings.json')),
    ...ofUser('amp', configFolder(surroundings), path.join('amp', 'settings.json')),
  ],
};

/** Crush: servers below `mcp`, times in seconds, and variables as shells have them. */
export const crush: Dialect = {
  id: 'crush',
  title: 'Crush',
  format: 'jsonc',
  home: ['mcp'],
  fields: fieldsOf({
    type: kindField({ stdio: 'stdio', http: 'http', sse: 'sse' }),
    ...plainFields,
    timeout: time('requestMs', 's'),
    disabled: flag('enabled', true),
    disabled_tools: texts('deny'),
  }),
  urlAlone: 'http',
  syntax: { forms: ['brace', 'dollar'], unset: 'refuse' },
  owns: /(^|\/)\.?crush\.json$/,
  where: (surroundings) => [
    inProject('crush', surroundings, 'crush.json', '.crush.json'),
    ...ofUser('crush', configFolder(surroundings), path.join('crush', 'crush.json')),
  ],
};

/** Which tools are offered, each list with a name. */
const toolLists: Field = {
  read(value, place) {
    const { include, exclude, ...rest } = asRecord(value, place);
    const reading: Reading = { rest: restOf(Object.entries(rest)) };
    if (include !== undefined) reading.allow = asTexts(include, below(place, 'include'));
    if (exclude !== undefined) reading.deny = asTexts(exclude, below(place, 'exclude'));
    return reading;
  },
  write: ({ allow, deny }) =>
    allow === undefined && deny === undefined ? undefined : { include: allow, exclude: deny },
};

/** Hermes: YAML, and times in seconds. */
export const hermes: Dialect = {
  id: 'hermes',
  title: 'Hermes',
  format: 'yaml',
  home: ['mcp_servers'],
  fields: fieldsOf({
    ...plainFields,
    enabled: flag('enabled'),
    timeout: time('requestMs', 's'),
    connect_timeout: time('startupMs', 's'),
    tools: toolLists,
  }),
  alsoKnown: new Set([
    'auth',
    'client_cert',
    'client_key',
    'sampling',
    'ssl_verify',
    'supports_parallel_tool_calls',
    'transport',
  ]),
  urlAlone: 'http',
  syntax: { forms: ['brace'], unset: 'refuse' },
  owns: /(^|\/)\.hermes\/config\.ya?ml$/,
  where: inHome('hermes', '.hermes', 'config.yaml'),
};

/** LM Studio, and others that put texts to use as they are. */
export const lmStudio: Dialect = {
  id: 'lm-studio',
  title: 'LM Studio',
  format: 'jsonc',
  home: ['mcpServers'],
  fields: fieldsOf(usualFields),
  urlAlone: 'http',
  syntax: noReferences,
  owns: /(^|\/)(\.lmstudio|\.junie\/mcp|\.trae|Trae\/User)\/mcp\.json$/,
  where: inHome('lm-studio', '.lmstudio', 'mcp.json'),
};
