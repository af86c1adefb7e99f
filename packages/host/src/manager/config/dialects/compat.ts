import { isRecord } from 'mcp-kit/internal';
import { fieldsOf, type Dialect } from '../dialect.ts';
import {
  alias,
  commandLine,
  commandOrLine,
  flag,
  kindField,
  oauthField,
  text,
  textMap,
  texts,
  time,
} from '../field.ts';
import { below, configError } from '../place.ts';
import { urlFields } from './mcp-kit.ts';

const kind = kindField({
  stdio: 'stdio',
  local: 'stdio',
  http: 'http',
  remote: 'http',
  streamable_http: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
  sse: 'sse',
  unix: 'unix',
});
const url = text('url');

/** The form that most programs share: `mcpServers`, or a bare map of servers. Lenient. */
export const compat: Dialect = {
  id: 'compat',
  title: 'the common form',
  format: 'jsonc',
  home: ['mcpServers'],
  sections: (document) =>
    isRecord(document) && Object.hasOwn(document, 'mcpServers')
      ? [{ path: ['mcpServers'] }]
      : [{ path: [], except: ['$schema', 'inputs'] }],
  fields: fieldsOf({
    transport: alias(kind),
    transportType: alias(kind),
    type: kind,
    argv: alias(commandLine),
    cmd: alias(text('command')),
    command: commandOrLine,
    args: texts('args'),
    cwd: text('cwd'),
    environment: alias(textMap('env')),
    envs: alias(textMap('env')),
    env: textMap('env'),
    envFile: text('envFile'),
    inherit_env: flag('inheritEnv'),
    unix_path: text('path'),
    uri: alias(url),
    baseUrl: alias(url),
    base_url: alias(url),
    serverUrl: alias(url),
    httpUrl: alias(url),
    ...urlFields,
    http_headers: alias(textMap('headers')),
    headers: textMap('headers'),
    bearerTokenEnv: alias(text('bearerTokenEnv')),
    bearer_token_env: alias(text('bearerTokenEnv')),
    bearer_token_env_var: text('bearerTokenEnv'),
    env_http_headers: textMap('envHeaders'),
    disabled: alias(flag('enabled', true)),
    enabled: flag('enabled'),
    timeout: time('requestMs', 'ms'),
    enabledTools: texts('allow'),
    disabledTools: texts('deny'),
    autoApprove: texts('autoApprove'),
    oauth: oauthField({
      clientId: 'clientId',
      clientSecret: 'clientSecret',
      scopes: 'scopes',
      redirectUri: 'redirectUri',
      callbackPort: 'callbackPort',
    }),
    title: text('title'),
    description: text('description'),
  }),
  alsoKnown: new Set(['auth', 'instructions', 'requestIdFormat']),
  urlAlone: 'http',
  syntax: {
    forms: ['brace', 'brace-default', 'brace-env', 'input', 'dollar-env'],
    unset: 'refuse',
    rootNames: ['MCP_ROOT', 'CLAUDE_PLUGIN_ROOT'],
  },
  check(raw, name, place) {
    const type = raw['type'] ?? raw['transport'] ?? raw['transportType'];
    if (type === undefined || type === 'stdio' || type === 'local') return;
    const field = ['command', 'args', 'argv'].find((key) => raw[key] !== undefined);
    if (field === undefined) return;
    throw configError(
      below(place, field),
      `mcp server ${name}: command/args/argv are only valid for transport=stdio`,
    );
  },
};
