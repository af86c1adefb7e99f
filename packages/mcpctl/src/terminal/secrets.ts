import { hideSecrets, isRecord, isSecretName, isSecretPair } from 'mcp-kit/internal';

export const mask = '***';

const typed = new Set<string>();

/** Remembers what was typed in secret, so that it is not shown later either. */
export function rememberSecret(secret: string): void {
  if (secret !== '') typed.add(secret);
}

const flag = /^-{1,2}[\w-]{1,60}$/;

/** The value with everything masked that looks like a secret, by the name it goes by or by how it begins. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map((member, at) => maskMember(value[at - 1], member));
  if (!isRecord(value)) return value;
  const isPair = isSecretPair(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isNamed = isSecretName(name) || (isPair && name === 'value');
      return [name, isNamed ? maskNamed(member) : maskSecrets(member)];
    }),
  );
}

/** What goes by the name of a secret. */
function maskNamed(value: unknown): unknown {
  if (typeof value === 'string' || typeof value === 'number') return mask;
  return Array.isArray(value) ? value.map(maskNamed) : maskSecrets(value);
}

/** A word of a command line goes by the name of the one before it. */
function maskMember(before: unknown, member: unknown): unknown {
  const isNamed = typeof before === 'string' && flag.test(before) && isSecretName(before);
  return isNamed && typeof member === 'string' ? mask : maskSecrets(member);
}

/** Shorter ones are parts of other words as well: they are masked only where they stand alone. */
const tellingCharacters = 5;

function maskText(text: string): string {
  if (typed.has(text)) return mask;
  const telling = [...typed].filter(({ length }) => length >= tellingCharacters);
  const masked = telling.reduce((shown, secret) => shown.replaceAll(secret, mask), text);
  return hideSecrets(masked, mask);
}
