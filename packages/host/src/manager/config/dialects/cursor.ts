import path from 'node:path';
import { fieldsOf, type Dialect } from '../dialect.ts';
import { alias, kindField, oauthField, text, textMap, texts, flag } from '../field.ts';
import { inProject, ofUser } from './candidates.ts';

/** Cursor, which tells the transport by the fields that are there. */
export const cursor: Dialect = {
  id: 'cursor',
  title: 'Cursor',
  format: 'jsonc',
  home: ['mcpServers'],
  fields: fieldsOf({
    type: kindField(
      {
        stdio: 'stdio',
        http: 'http',
        streamableHttp: 'http',
        'streamable-http': 'http',
        sse: 'sse',
      },
      { sse: 'sse' },
    ),
    command: text('command'),
    args: texts('args'),
    env: textMap('env'),
    envFile: text('envFile'),
    url: text('url'),
    headers: textMap('headers'),
    auth: oauthField({ clientId: 'CLIENT_ID', clientSecret: 'CLIENT_SECRET', scopes: 'scopes' }),
  }),
  urlAlone: 'http',
  syntax: { forms: ['brace-env', 'place'], unset: 'refuse' },
  owns: /(^|\/)\.cursor\/mcp\.json$/,
  where: (surroundings) => [
    inProject('cursor', surroundings, path.join('.cursor', 'mcp.json')),
    ...ofUser('cursor', surroundings.home, path.join('.cursor', 'mcp.json')),
  ],
};

/** Windsurf, whose remote servers have a `serverUrl`. */
export const windsurf: Dialect = {
  id: 'windsurf',
  title: 'Windsurf',
  format: 'jsonc',
  home: ['mcpServers'],
  fields: fieldsOf({
    type: kindField(
      { stdio: 'stdio', http: 'http', 'streamable-http': 'http', sse: 'sse' },
      { sse: 'sse' },
    ),
    command: text('command'),
    args: texts('args'),
    env: textMap('env'),
    url: alias(text('url')),
    serverUrl: text('url'),
    headers: textMap('headers'),
    disabled: flag('enabled', true),
    disabledTools: texts('deny'),
    alwaysAllow: texts('autoApprove'),
  }),
  alsoKnown: new Set(['registry']),
  urlAlone: 'http',
  syntax: { forms: ['brace-env'], unset: 'refuse' },
  owns: /(^|\/)(\.codeium\/windsurf|\.gemini\/(config|antigravity))\/mcp_config\.json$/,
  where: ({ home }) =>
    ofUser('windsurf', home, path.join('.codeium', 'windsurf', 'mcp_config.json')),
};
