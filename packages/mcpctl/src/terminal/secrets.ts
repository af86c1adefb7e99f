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

/** What some services write their keys like, wherever it stands. */
const wellKnown =
  /\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?|\b(?:gh[oprsu]_|github_pat_|glpat-|sk-|xox[abeprs]-|AIza|mcpk_)[\w-]{16,}|\bAKIA[0-9A-Z]{16}\b/g;
const privateKey = /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[^-]*/g;
/** As a header or a command line has it: the name before says what it is. */
const schemeWithin = /\b(Bearer|Basic)\s+(?=[a-z_.~+/-]*\d)[\w.~+/-]{12,}=*/gi;
const assigned = /(?<=^|[\s"'])(-{0,2}([\w-]{1,60})=)[^\s"'&]+/g;
const flag = /^-{1,2}[\w-]{1,60}$/;

/** The value with everything masked that looks like a secret, by the name it goes by or by how it begins. */
export function maskSecrets(value: unknown): unknown {
  if (typeof value === 'string') return maskText(value);
  if (Array.isArray(value)) return value.map((member, at) => maskMember(value[at - 1], member));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secretName.test(name) ? maskNamed(member) : maskSecrets(member),
    ]),
  );
}

/** What goes by the name of a secret. */
function maskNamed(value: unknown): unknown {
  if (typeof value === 'string') return mask;
  return Array.isArray(value) ? value.map(maskNamed) : maskSecrets(value);
}

/** A word of a command line goes by the name of the one before it. */
function maskMember(before: unknown, member: unknown): unknown {
  const isNamed = typeof before === 'string' && flag.test(before) && secretName.test(before);
  return isNamed && typeof member === 'string' ? mask : maskSecrets(member);
}

/** Shorter ones are parts of other words as well: they are masked only where they stand alone. */
const tellingCharacters = 5;

function maskText(text: string): string {
  if (typed.has(text)) return mask;
  const telling = [...typed].filter(({ length }) => length >= tellingCharacters);
  return telling
    .reduce((masked, secret) => masked.replaceAll(secret, mask), text)
    .replace(scheme, `$1 ${mask}`)
    .replaceAll(schemeWithin, `$1 ${mask}`)
    .replaceAll(wellKnown, mask)
    .replaceAll(privateKey, `$1${mask}`)
    .replaceAll(assigned, (whole: string, before: string, name: string) =>
      secretName.test(name) ? before + mask : whole,
    )
    .replaceAll(userInfo, `$1${mask}@`)
    .replaceAll(parameter, (whole: string, before: string, name: string) =>
      secretName.test(name) ? before + mask : whole,
    );
}
