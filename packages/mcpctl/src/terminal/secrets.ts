import { isRecord } from 'mcp-kit/jsonrpc';

export const mask = '***';

const typed = new Set<string>();

/** Remembers what was typed in secret, so that it is not shown later either. */
export function rememberSecret(secret: string): void {
  if (secret !== '') typed.add(secret);
}

const secretName =
  /authorization|cookie|credential|passw(?:or)?d|passphrase|secret|api[-_]?key|private[-_]?key|access[-_]?key|(?:^|[-_])token$|(?:access|auth|bearer|id|refresh|session)[-_]?token/i;
const scheme = /^(Bearer|Basic|Digest|Negotiate|Token)\s+\S.*$/is;
// With bounds: texts are long, and whoever wrote them may want us to be slow.
const userInfo = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@]+@/gi;
const parameter = /([?&]([^=&?\s#]{1,100})=)[^&\s#]+/g;

/** The value with everything masked that looks like a secret, by the name it goes by or by how it begins. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map(maskSecrets);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'string' && secretName.test(name) ? mask : maskSecrets(member),
    ]),
  );
}

/** Shorter ones are parts of other words as well: they are masked only where they stand alone. */
const tellingCharacters = 5;

function maskText(text: string): string {
  if (typed.has(text)) return mask;
  const telling = [...typed].filter(({ length }) => length >= tellingCharacters);
  return telling
    .reduce((masked, secret) => masked.replaceAll(secret, mask), text)
    .replace(scheme, `$1 ${mask}`)
    .replaceAll(userInfo, `$1${mask}@`)
    .replaceAll(parameter, (whole: string, before: string, name: string) =>
      secretName.test(name) ? before + mask : whole,
    );
}
