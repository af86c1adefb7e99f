import { isRecord } from 'mcp-kit/internal';
import { fieldsOf, type Dialect } from '../dialect.ts';
import { kindField, oauthField, plainFields, text } from '../field.ts';
import { below, configError, type Place } from '../place.ts';

function checkLength(raw: Readonly<Record<string, unknown>>, place: Place): void {
  for (const [key, max] of [
    ['title', 100],
    ['description', 500],
  ] as const) {
    const value = raw[key];
    if (typeof value === 'string' && value.length > max) {
      throw configError(below(place, key), `must not be longer than ${max} characters`);
    }
  }
}

/** The draft of a standard: strict JSON, and a type for every server. */
export const sep2633: Dialect = {
  id: 'sep-2633',
  title: 'SEP-2633',
  format: 'json',
  home: ['mcpServers'],
  fields: fieldsOf({
    title: text('title'),
    description: text('description'),
    type: kindField({ stdio: 'stdio', sse: 'sse', 'streamable-http': 'http' }),
    ...plainFields,
    oauth: oauthField({ clientId: 'clientId', scopes: 'scopes', redirectUri: 'redirectUri' }),
  }),
  names: /^[a-zA-Z0-9_[\]-]+$/,
  syntax: { forms: ['uri'], unset: 'refuse' },
  check(raw, _name, place) {
    if (raw['type'] === undefined) throw configError(place, 'SEP-2633 needs a `type`');
    checkLength(raw, place);
    if (raw['oauth'] === undefined) return;
    if (raw['type'] === 'stdio') {
      throw configError(below(place, 'oauth'), 'is not for servers with "type": "stdio"');
    }
    const headers = isRecord(raw['headers']) ? Object.keys(raw['headers']) : [];
    if (headers.some((header) => header.toLowerCase() === 'authorization')) {
      throw configError(below(place, 'oauth'), 'must not stand beside an Authorization header');
    }
  },
};
