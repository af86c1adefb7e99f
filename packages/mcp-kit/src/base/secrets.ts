/** Names that secrets go by: of headers, variables, options, members and arguments. */
const telling =
  /authori[sz]ation|cookie|credential|secret|token|passw(?:or)?d|passphrase|passcode|(?:api|access|private|signing)[-_]?key|[-_]key$|^-*(?:auth|jwt|pin|pwd)$|^-+key$/i;
/** Those that only say how much, where to go on, of what kind, or where the secret itself is. */
const harmless =
  /^tokens$|(?:max|min|total|input|output|prompt|completion)[\w-]*tokens$|(?:progress|page|next|continuation)[-_]?token$|(?:public|idempotency|primary|foreign|partition|sort|cache)[-_]key$|(?:count|limit|type|env|file|path|name|endpoint|ur[il])$/i;

/** Longer names are made up: what goes by them is not shown, and they are not searched. */
const maxNameLength = 256;

/** Whether what goes by this name is a secret. */
export function isSecretName(name: string): boolean {
  return name.length > maxNameLength || (telling.test(name) && !harmless.test(name));
}

// With bounds: texts are long, and whoever wrote them may want us to be slow.

/** What every secret in a text has about it; most texts have nothing of the kind. */
const suspicious =
  /[=@]|\b(?:bearer|basic|negotiate|digest|token)\s|eyJ|gh[oprsu]_|github_pat_|glpat-|sk-|xox[abeprs]-|AIza|mcpk_|AKIA|-----BEGIN/i;
/** The whole value of a header. */
const header = /^(bearer|basic|negotiate)\s+\S+$|^(digest)\s+\w+=.*$/is;
/** In a sentence, not the words that one speaks of it with: a bearer token, a basic introduction. */
const bearerWithin =
  /\b(bearer)\s+(?!(?:tokens?|auth\w*|credentials?|schemes?|headers?|realm)\b)[\w.~+/-]+=*/gi;
const tokenWithin = /\b(token)\s+(?=[a-z]*(?:[\d_~+/=-]|\.\w)|[a-z]{20})[\w.~+/-]+=*/gi;
const basicWithin = /\b(basic)\s+(?=[a-z+/]*\d)[\w+/]{12,}=*/gi;
/** What services write their keys like. A token begins a word: else every part of a long word would be tried. */
const wellKnown =
  /(?<![\w-])eyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?|\b(?:gh[oprsu]_|github_pat_|glpat-|sk-|xox[abeprs]-|AIza)[\w-]{12,}|\bmcpk_[\w-]+|\bAKIA[0-9A-Z]{16}\b/g;
const privateKey = /(-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----)[^-]*/g;
const userInfo = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@]+@/gi;
/** As a command line or a file of variables has it: the name says what it is. */
const assigned = /(?<=^|[\s"'])((-{0,2}[\w-]{1,60})=)[^\s"'&]+/g;
const parameter = /([?&]([^=&?\s#]{1,100})=)[^&\s#]+/g;

/** The text with a mask for all that looks like a secret: by how it begins, or by the name before it. */
export function hideSecrets(text: string, mask: string): string {
  if (!suspicious.test(text)) return text;
  const named = (whole: string, before: string, name: string): string =>
    isSecretName(name) ? before + mask : whole;
  return text
    .replace(
      header,
      (_, scheme: string | undefined, digest: string) => `${scheme ?? digest} ${mask}`,
    )
    .replaceAll(bearerWithin, `$1 ${mask}`)
    .replaceAll(tokenWithin, `$1 ${mask}`)
    .replaceAll(basicWithin, `$1 ${mask}`)
    .replaceAll(wellKnown, mask)
    .replaceAll(privateKey, `$1${mask}`)
    .replaceAll(assigned, named)
    .replaceAll(userInfo, `$1${mask}@`)
    .replaceAll(parameter, (whole: string, before: string, name: string) =>
      isSecretName(name) || /key/i.test(name) ? before + mask : whole,
    );
}
