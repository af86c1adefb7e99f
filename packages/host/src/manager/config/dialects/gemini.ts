import path from 'node:path';
import { fieldsOf, type Dialect } from '../dialect.ts';
import { asBoolean, asText, kindField, oauthField, text, textMap, texts, time } from '../field.ts';
import { valueAt } from '../values.ts';
import { inProject, ofUser } from './candidates.ts';

/** Gemini CLI, where `url` is the SSE transport and `httpUrl` streamable HTTP. */
export const gemini: Dialect = {
  id: 'gemini',
  title: 'Gemini CLI',
  format: 'jsonc',
  home: ['mcpServers'],
  fields: fieldsOf({
    command: text('command'),
    args: texts('args'),
    env: textMap('env'),
    cwd: text('cwd'),
    url: {
      read: (value, place) => ({ url: asText(value, place) }),
      write: ({ kind, url }) => (kind === 'sse' ? url : undefined),
    },
    httpUrl: {
      read: (value, place) => ({ url: asText(value, place), kind: 'http' }),
      write: ({ kind, url }) => (kind === 'sse' ? undefined : url),
    },
    type: kindField({ stdio: 'stdio', http: 'http', sse: 'sse' }, {}),
    headers: textMap('headers'),
    timeout: time('requestMs', 'ms'),
    trust: {
      read: (value, place) => (asBoolean(value, place) ? { autoApprove: ['*'] } : {}),
      write: ({ autoApprove }) => (autoApprove?.includes('*') ? true : undefined),
    },
    includeTools: texts('allow'),
    excludeTools: texts('deny'),
    oauth: oauthField({
      clientId: 'clientId',
      clientSecret: 'clientSecret',
      scopes: 'scopes',
      redirectUri: 'redirectUri',
    }),
    description: text('description'),
  }),
  alsoKnown: new Set([
    'targetAudience',
    'targetServiceAccount',
    'authProviderType',
    'extension',
    'tcp',
  ]),
  urlAlone: 'sse',
  isOff(document, name) {
    const lists = (key: string): unknown => valueAt(document, ['mcp', key]);
    const [allowed, excluded] = [lists('allowed'), lists('excluded')];
    const isExcluded = Array.isArray(excluded) && excluded.includes(name);
    return isExcluded || (Array.isArray(allowed) && !allowed.includes(name));
  },
  syntax: { forms: ['brace', 'dollar', 'percent'], unset: 'empty' },
  owns: /(^|\/)\.(gemini|qwen|iflow)\/settings\.json$/,
  where: (surroundings) => [
    inProject('gemini', surroundings, path.join('.gemini', 'settings.json')),
    ...ofUser('gemini', surroundings.home, path.join('.gemini', 'settings.json')),
  ],
};
