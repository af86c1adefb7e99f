import { isSecretName } from '#base';
import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '#protocol';

/** Names come from callers: only so many are kept, and no long ones. */
const maxKnown = 256;
const maxKnownLength = 64;

/** Tells which arguments of a tool must not be shown: by what their schema says, and by their names. */
export function secretsOf(schema: JsonSchema): (name: string) => boolean {
  const { properties } = schema;
  const known = new Map<string, boolean>();
  for (const [name, property] of Object.entries(isRecord(properties) ? properties : {})) {
    const hidden =
      isRecord(property) && (property['writeOnly'] === true || property['format'] === 'password');
    known.set(name, hidden || isSecretName(name));
  }
  return (name) => {
    const hidden = known.get(name) ?? isSecretName(name);
    if (known.size < maxKnown && name.length <= maxKnownLength) known.set(name, hidden);
    return hidden;
  };
}
