import { isSecretName, isSecretValue } from './secret-names.ts';
import { secretAddresses, wellKnownKeys } from './secret-shapes.ts';

// With bounds: texts are long, and whoever wrote them may want us to be slow. Each expression begins at a place that few
// characters are, looks ahead for so many, and takes all that it has read.

/** The whole value of a header. */
const header = /^(bearer|basic|negotiate)\s+\S+$|^(digest)\s+\w+=.*$/is;
/** In a sentence, not the words that one speaks of it with: a bearer token, a basic introduction. */
const bearerWithin =
  /\b(bearer)\s+(?!(?:tokens?|auth\w*|credentials?|schemes?|headers?|realm)\b)[\w.~+/-]+=*/gi;
const tokenWithin =
  /(?<!unexpected )\b(token)\s+(?=[a-z]*(?:[\d_~+/-]|\.\w)|[a-z]{20})[\w.~+/-]+=*/gi;
const basicWithin = /\b(basic)\s+(?=[a-z+/]*\d)[\w+/]{12,}=*/gi;
/** Of a scheme with one value that value, of others all that follows. */
const schemeOfOne =
  /(authori[sz]ation\\*["'`]?[ \t]*[:=][ \t]*\\*["'`]?(?:bearer|basic|token|negotiate|ntlm|api-?key|dpop|key)[ \t]+)[^\s"'`\\,]+/gi;
const schemeOfMany =
  /(authori[sz]ation\\*["'`]?[ \t]*[:=][ \t]*\\*["'`]?(?:digest|hawk|signature|oauth|aws4-hmac-sha256)[ \t]+)(?:=\\*"[^"\r\n\\]*\\*"|[^\r\n"'\\])+/gi;
const cookies =
  /((?:set-)?cookie2?\\*["'`]?[ \t]*:[ \t]*\\*["'`]?)(?=[^\s=;,"'`]{1,100}=)[^\r\n"'`\\]+/gi;
const privateKey =
  /(-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----)[\s\S]*?(?=-----END|$(?![\s\S]))/g;
const userInfo = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#"'`<>\\]+@/gi;
/**
 * As programs, files and messages have it: `NAME=value`, `name: value`, `"name": "value"`, also within another text, where
 * quotes are escaped.
 */
const assignment =
  /(?<![\w-])(-{0,2}[a-z_][\w.-]{0,60})\\*["'`]?[ \t]{0,8}(?:=>|:=|[:=])[ \t]{0,8}/gi;
/** What is in quotes ends with them, anything else with its word. */
const assignedValue =
  /(\\*["'`])((?:(?!\1)(?:\\[^\r\n]|[^\r\n]))+)|(?:\\(?![nrt"'\\])|,(?=\S)|[^\s"'`\\,;&])+/y;
/** `--password value`, and what `curl` and others have instead. */
const option = /(?<=^|[\s"'])((--?[a-z][\w-]{1,60})[ \t]+)(?!-)([^\s"'`]+)/gi;
const userOption = /((?<=^|\s)(?:-u|--user)[ \t]+["']?[^\s:"']{1,100}:)[^\s"']+/g;
/** `password is …`, where what follows is no word. */
const said =
  /\b(([a-z_][\w-]{0,40})[ \t]+(?:is|was|are)[ \t]+["'`]?)((?=[a-z]*[^a-z\s"'`.,;:!?)])[^\s"'`]{4,})/gi;
const netrc = /(\blogin\s{1,9}\S{1,100}\s{1,9}password\s{1,9})[^\s"'`\\]+/gi;
const element = /(<([a-z_][\w:.-]{0,60})>)[^<>]+(?=<\/)/gi;
const parameter = /([?&#;]([^=&?\s#;]{1,100})=)([^&\s#"'`<>\\]+)/g;

/** The text with a mask for all that looks like a secret: by how it begins, or by the name before it. */
export function hideSecrets(text: string, mask: string): string {
  const shown = text
    .replace(
      header,
      (_, scheme: string | undefined, digest: string) => `${scheme ?? digest} ${mask}`,
    )
    .replaceAll(privateKey, `$1${mask}`)
    .replaceAll(schemeOfOne, `$1${mask}`)
    .replaceAll(schemeOfMany, `$1${mask}`)
    .replaceAll(bearerWithin, `$1 ${mask}`)
    .replaceAll(tokenWithin, `$1 ${mask}`)
    .replaceAll(basicWithin, `$1 ${mask}`)
    .replaceAll(cookies, `$1${mask}`)
    .replaceAll(secretAddresses, `$1${mask}`)
    .replaceAll(wellKnownKeys, mask)
    .replaceAll(userInfo, `$1${mask}@`)
    .replaceAll(parameter, maskIf(isSecretParameter, mask));
  return hideAssigned(shown, mask)
    .replaceAll(option, maskIf(isSecretNamed, mask))
    .replaceAll(userOption, `$1${mask}`)
    .replaceAll(said, maskIf(isSecretNamed, mask))
    .replaceAll(netrc, `$1${mask}`)
    .replaceAll(element, (whole: string, before: string, name: string) =>
      isSecretName(name) ? before + mask : whole,
    );
}

function hideAssigned(text: string, mask: string): string {
  let shown = '';
  let done = 0;
  for (const { 0: found, 1: name = '', index } of text.matchAll(assignment)) {
    assignedValue.lastIndex = index + found.length;
    if (index < done || !isSecretName(name)) continue;
    const [whole = '', quote = '', quoted = whole] = assignedValue.exec(text) ?? [];
    if (!isSecretValue(quoted)) continue;
    shown += text.slice(done, index + found.length) + quote + mask;
    done = index + found.length + whole.length;
  }
  return shown + text.slice(done);
}

/** Puts the mask in place of the value after a name, where the two are of a secret. */
function maskIf(
  isSecret: (name: string, value: string) => boolean,
  mask: string,
): (whole: string, ...found: readonly string[]) => string {
  return (whole, ...found) => {
    const [before = '', name = '', value = ''] = found;
    return isSecret(name, value) ? before + mask : whole;
  };
}

function isSecretNamed(name: string, value: string): boolean {
  return isSecretName(name) && isSecretValue(value);
}

/** In addresses what is called a key is one; so are signatures, and codes that are not those of countries. */
function isSecretParameter(name: string, value: string): boolean {
  if (isSecretName(name) || /key|^sig$|signature$/i.test(name)) return true;
  return /^code$/i.test(name) && value.length >= 16;
}
