import path from 'node:path';
import { isRecord } from 'mcp-kit/internal';
import { fieldsOf, type Dialect } from '../dialect.ts';
import {
  alias,
  asTexts,
  flag,
  oauthField,
  text,
  textMap,
  texts,
  time,
  type Field,
} from '../field.ts';
import { below, configError } from '../place.ts';
import { noReferences } from '../template.ts';
import { inProject, ofUser } from './candidates.ts';

/** Names of variables to hand on; those with a source are for the host. */
const variables: Field = {
  read(value, place) {
    const items: readonly unknown[] = Array.isArray(value) ? value : asTexts(value, place);
    const sourced = items.filter((item) => isRecord(item));
    const plain = items.filter((item) => !isRecord(item));
    const rest = sourced.length > 0 ? sourced : undefined;
    return { passEnv: asTexts(plain, place), rest };
  },
  write: ({ passEnv }) => passEnv,
};

const scopes: Field = {
  read: (value, place) => ({ oauth: { scopes: asTexts(value, place) } }),
  write: ({ oauth }) => (oauth ? oauth.scopes : undefined),
};

const oauth = oauthField({ clientId: 'client_id', callbackPort: 'callback_port' });

/** Codex: TOML, strict, and variables by name only. */
export const codex: Dialect = {
  id: 'codex',
  title: 'Codex',
  format: 'toml',
  home: ['mcp_servers'],
  fields: fieldsOf({
    command: text('command'),
    args: texts('args'),
    env: textMap('env'),
    env_vars: variables,
    cwd: text('cwd'),
    url: text('url'),
    bearer_token_env_var: text('bearerTokenEnv'),
    http_headers: textMap('headers'),
    env_http_headers: textMap('envHeaders'),
    enabled: flag('enabled'),
    startup_timeout_ms: alias(time('startupMs', 'ms')),
    startup_timeout_sec: time('startupMs', 's'),
    tool_timeout_sec: time('requestMs', 's'),
    enabled_tools: texts('allow'),
    disabled_tools: texts('deny'),
    scopes,
    oauth,
  }),
  alsoKnown: new Set([
    'required',
    'supports_parallel_tool_calls',
    'omit_tools_from',
    'default_tools_approval_mode',
    'tools',
    'oauth_resource',
    'auth',
    'environment_id',
    'http_headers_helper',
  ]),
  strict: true,
  urlAlone: 'http',
  syntax: noReferences,
  check(raw, _name, place) {
    if (raw['bearer_token'] === undefined) return;
    throw configError(below(place, 'bearer_token'), 'a token must not be in the file', {
      hint: 'Name the variable that holds it in bearer_token_env_var.',
    });
  },
  owns: /(^|\/)(\.codex|\.grok)\/config\.toml$/,
  where: (surroundings) => [
    inProject('codex', surroundings, path.join('.codex', 'config.toml')),
    ...ofUser('codex', surroundings.env['CODEX_HOME'], 'config.toml'),
    ...ofUser('codex', surroundings.home, path.join('.codex', 'config.toml')),
  ],
};
