/** Names that secrets go by: of headers, variables, options, members and arguments. */
const telling =
  /authori[sz]ation|cookie|credential|secret|token|passw(?:or)?d|passphrase|passcode|passwort|(?:api|access|private|signing|account|master|encryption|session|shared|service|subscription|license|deploy|ssh|webhook)[-_ ]?key|[-_]key(?:[-_]data)?$|^-*(?:auth|jwt|pin|pwd|psk|otp)$|_pwd$|^-+key$/i;
/** Those that only say how much, where to go on, of what kind, or where the secret itself is. */
const harmless =
  /^tokens$|(?:max|min|total|input|output|prompt|completion)[\w-]*tokens$|(?:progress|page|next|continuation)[-_]?token$|(?:public|idempotency|primary|foreign|partition|sort|cache)[-_]key$|(?:count|limit|type|env|file|path|name|endpoint|ur[il])$|tokeni[sz]|secretar/i;

/** Longer names are made up: what goes by them is not shown, and they are not searched. */
const maxNameLength = 256;

/** Whether what goes by this name is a secret. */
export function isSecretName(name: string): boolean {
  return name.length > maxNameLength || (telling.test(name) && !harmless.test(name));
}

/** Words that follow a name in sentences, schemas and programs where no secret does. */
const words: ReadonlySet<string> = new Set(
  `a an and any are as at await be been but by can cannot expired expires for from function get given has have if
  in incorrect invalid is it its may mandatory match matches missing must my needs never new no none not null number object
  of off on one only optional or our out please promise provided read refused rejected required see set should string text
  that the their then these this to true false undefined unknown unset use used via void was were when which will with wrong
  you your boolean buffer bytes int integer str bool apikey basic bearer digest dpop hawk
  negotiate ntlm oauth signature token redacted hidden masked example`
    .split(/\s+/)
    .filter((word) => word !== ''),
);
/** A reference to where the value is, a place to put it, or what stands for it. */
const reference =
  /^(?:\$\{?[A-Za-z_][\w.:]*\}?|%\w+%|\{.*|\[.*|<[^>]*>?|\*+|\.+|…)$|^(?:process\.env|os\.environ|import\.meta|env\.|this\.|self\.)/s;
const call = /^[A-Za-z_$][\w$.]*\(/;

/** Whether a pair of `name` (or `key`) and `value`, as lists of headers and variables have them, is of a secret. */
export function isSecretPair(pair: Readonly<Record<string, unknown>>): boolean {
  const name = pair['name'] ?? pair['key'];
  return 'value' in pair && typeof name === 'string' && isSecretName(name);
}

/** Whether what follows the name of a secret is a value for it: not a word of a sentence or a program, nor a reference. */
export function isSecretValue(value: string): boolean {
  const word = value.replace(/[.,:;!?)]{1,4}$/, '').toLowerCase();
  // Numbers of pins and places in files are short.
  if (words.has(word) || /^\d{1,3}$|^\d{1,6}:\d{1,5}$/.test(word)) return false;
  if (!/[\p{L}\p{N}]/u.test(word)) return false;
  return !reference.test(value) && !call.test(value);
}
