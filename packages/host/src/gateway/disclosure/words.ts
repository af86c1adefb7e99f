/** Words that say nothing about what is wanted. */
const idle = new Set(
  'a about above after again also am an and another any are as at be because been before below between both by can could did do does for from had has have having here how i if in into is it its just let like may me might my need of off on once one only or other our out over own please right same shall should side so some something than that the their them then there these they this those through to together too two three four five under until up us want was we were what whether which whom whose why will with would you your'.split(
    ' ',
  ),
);

/** What stands for itself in a question, and the word for what it is. */
const literals: readonly (readonly [RegExp, string])[] = [
  [/\bhttps?:\/\/\S+/g, ' url '],
  [/[\w.+-]+@[\w-]+\.\w+/g, ' email '],
  [/-?\d+\.\d+\s*,\s*-?\d+\.\d+/g, ' coordinates '],
  // A path, and a name with an ending, such as `notes.md`.
  [/(?<=^|\s)~?\/[\w/-]+(?=$|[\s,;?!])/g, ' folder '],
  [/(?<=^|\s)[\p{L}\p{N}_-]+\.(?!com|org|net|io)\p{L}[\p{L}\p{N}]{1,4}(?=$|[\s,;?!])/gu, ' file '],
];

/** What is said in several words, or in many ways, and a word that says the same. */
const phrases: readonly (readonly [RegExp, string])[] = [
  [/\b(?:last|next|this) (?:week|month|year|night|morning)\b/g, 'date'],
  [/\b(?:(?:last|next|this|on) )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/g, 'date'],
  [/\byesterday\b/g, 'date'],
  [/\bup to date\b/g, 'update'],
  [/\b(?:two|three|four|five|six|ten)\b/g, 'several'],
  [/\bprs?\b/g, 'pull request'],
  [/\bhold on\b/g, 'wait'],
  [/\bhow (?:many|much)\b/g, 'number'],
  // What something is called says nothing of what it is.
  [/\b(?:called|named) (?=\w)(?:file )?\w+/g, ''],
  // What is made is new.
  [/(?<=\w )new\b/g, ''],
  [/\bget(?:ting)? rid of\b/g, 'delete'],
  [/\b(?:throw|take) (\w+ )?(?:away|off)\b/g, 'remove $1'],
  [/\b(?:look|search)(?:ing)? (?:for|up|into)\b/g, 'search'],
  [/\b(?:tell|show|give|let) (?:me|us)(?: know| see)?\b/g, 'show'],
  [/\bset (\w+ )?up\b/g, 'create $1'],
  [/\b(?:sign|log)(?:ged|ging)?[ -](?:up|in)\b/g, 'login'],
  [/\bcheck(?:ing)? out\b/g, 'checkout'],
  [/\bfill(?:ing)? in\b/g, 'fill'],
];

/** The words of a text as they are written; names in any style are taken apart. */
export function formsOf(text: string): string[] {
  return apart(text)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => /\p{L}/u.test(word) && !idle.has(word));
}

function apart(text: string): string {
  return text
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2');
}

/** The same in their simplest form. */
export function wordsOf(text: string): string[] {
  return formsOf(text).map(stem);
}

/** A question with plain words for what stands for itself, and for what is said in several. */
export function plainly(question: string): string {
  const replaced = (text: string, [what, word]: readonly [RegExp, string]): string =>
    text.replaceAll(what, word);
  const named = apart(literals.reduce(replaced, question)).toLowerCase();
  return phrases.reduce(replaced, named).trim();
}

/** Verbs and their forms that have no ending of their own. */
const irregular: Readonly<Record<string, string>> = {
  begin: 'began begun',
  build: 'built',
  choose: 'chose chosen',
  draw: 'drew drawn',
  find: 'found',
  get: 'got',
  give: 'gave given',
  go: 'went gone',
  keep: 'kept',
  leave: 'left',
  lose: 'lost',
  make: 'made',
  run: 'ran',
  say: 'said',
  send: 'sent',
  show: 'shown',
  take: 'took taken',
  tell: 'told',
  write: 'wrote written',
};
const plainVerbs = new Map(
  Object.entries(irregular).flatMap(([verb, forms]) =>
    forms.split(' ').map((form) => [form, verb] as const),
  ),
);

/** English endings off; what is left need not be a word, only the same for all forms of one. */
export function stem(said: string): string {
  const word = plainVerbs.get(said) ?? said;
  let root = withoutVerbEnding(withoutDegree(singular(word)));
  if (root.length > 3 && root.endsWith('e')) root = root.slice(0, -1);
  return root.length > 3 && root.endsWith('y') ? `${root.slice(0, -1)}i` : root;
}

function singular(word: string): string {
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && /(?:[sxz]|ch|sh)es$/.test(word)) return word.slice(0, -2);
  return word.length > 3 && word !== 'news' && /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}

/** The biggest is big. */
function withoutDegree(word: string): string {
  return word.length > 6 && word.endsWith('est') ? undoubled(word.slice(0, -3)) : word;
}

function withoutVerbEnding(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return undoubled(word.slice(0, -3));
  if (word.length > 4 && word.endsWith('ed')) return undoubled(word.slice(0, -2));
  return word.length > 6 && word.endsWith('ion') ? word.slice(0, -3) : word;
}

function undoubled(root: string): string {
  return /([bdgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}
