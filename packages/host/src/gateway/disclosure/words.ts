/** Words that say nothing about what is wanted. */
const idle = new Set(
  'a an and any are as at be by can could do does for from give had has have how i if in into is it its let like me my need of on or our out please should so some something somebody tell than that the their them then there these they this those to up us want was we what when where whether which who will with would you your'.split(
    ' ',
  ),
);

/** Words that stand for each other when somebody asks for a tool. Each line is one meaning. */
const meanings: readonly string[] = [
  'create add new make insert register open generate append build start begin',
  'delete remove erase drop clear discard trash destroy uninstall',
  'update edit change modify set alter adjust replace patch revise rewrite rename',
  'get fetch read retrieve show view display see load look open print detail info information about describe inspect',
  'list all every each enumerate available many overview',
  'search find look query lookup locate seek where',
  'send post publish write submit deliver message say reply',
  'run execute invoke launch perform start',
  'stop end kill terminate cancel close quit',
  'move transfer relocate shift drag',
  'copy duplicate clone',
  'file document',
  'directory folder',
  'image picture photo screenshot',
  'user person people member who colleague teammate',
  'issue ticket bug',
  'repository repo project',
  'database db',
  'picture screenshot capture snapshot',
  'website webpage page site web url link internet online',
  'weather forecast temperature rain',
  'message chat conversation',
  'invite add member assign',
  'table sheet spreadsheet',
  'tab window',
  'comment remark note reply',
  'label tag',
  'undo revert reset restore discard',
  'difference diff compare changed change',
  'history log commit past',
  'size big large space storage',
  'count number many total',
  'event meeting appointment calendar',
  'chart graph diagram plot',
  'scale replica',
  'rename move',
  'key field column property attribute',
  'row record entry',
  'permission access right',
  'due deadline',
  'task todo',
  'distance far travel',
  'route direction way drive',
  'address place location geocode coordinate',
  'contact customer client',
  'bill invoice',
  'translate translation language',
];

const meaningsOf = new Map<string, readonly string[]>();
for (const [index, line] of meanings.entries()) {
  for (const word of line.split(' ')) {
    const stemmed = stem(word);
    meaningsOf.set(stemmed, [...(meaningsOf.get(stemmed) ?? []), `=${index}`]);
  }
}

/** The words of a text, in their simplest form; names in any style are taken apart. */
export function wordsOf(text: string): string[] {
  return text
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '' && !idle.has(word))
    .map(stem);
}

/** What a word may stand for. */
export function meaningsIn(word: string): readonly string[] {
  return meaningsOf.get(word) ?? [];
}

/** English endings off; what is left need not be a word, only the same for all forms of one. */
function stem(word: string): string {
  let root = word;
  if (root.length > 4 && root.endsWith('ies')) root = `${root.slice(0, -3)}y`;
  else if (root.length > 4 && /(?:[sxz]|ch|sh)es$/.test(root)) root = root.slice(0, -2);
  else if (root.length > 3 && /[^su]s$/.test(root)) root = root.slice(0, -1);
  if (root.length > 5 && root.endsWith('ing')) root = undoubled(root.slice(0, -3));
  else if (root.length > 4 && root.endsWith('ed')) root = undoubled(root.slice(0, -2));
  if (root.length > 3 && root.endsWith('e')) root = root.slice(0, -1);
  return root.length > 3 && root.endsWith('y') ? `${root.slice(0, -1)}i` : root;
}

function undoubled(root: string): string {
  return /([bdgmnprt])\1$/.test(root) ? root.slice(0, -1) : root;
}
