import { isSecretName, isSecretPair } from './secret-names.ts';
import { hideSecrets } from './secrets.ts';

const hidden = '[hidden]';
const maxDepth = 8;
const maxCharacters = 8192;

/** The same value with its secrets hidden, by their name or by what they look like; as plain data. */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return hideSecrets(value.slice(0, maxCharacters), hidden);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Error) return withoutSecrets(value.stack ?? value.message);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= maxDepth) return '…';
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return withoutSecrets(value.toJSON(), depth + 1);
  }
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  const isPair = isSecretPair(value as Readonly<Record<string, unknown>>);
  const entries = Object.entries(value).map(([name, item]) => {
    const isNamed = isSecretName(name) || (isPair && name === 'value');
    const secret = isNamed && item !== undefined && item !== null;
    return [name, secret ? hidden : withoutSecrets(item, depth + 1)];
  });
  return Object.fromEntries(entries);
}
