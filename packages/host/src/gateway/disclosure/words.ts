/** Words that say nothing about what is wanted. */
const idle = new Set(
  'a above after again also an and another any are as at be because before below between both by can could do does for from give had has have having here how i if in into is it its let like me my need of off on once one only or other our out over own please right now should same side so some something than that the their them then there these they this those through to two three five together too under up until us want was we when where whether will with would you your'.split(
    ' ',
  ),
);

/** Words that stand for each other when somebody asks for a tool. Each line is one meaning. */
const meanings: readonly string[] = [
  'create add new make insert register open generate append build start begin put store save write draw set compose file plot',
  'delete remove erase drop clear discard trash destroy uninstall forget throw rid away lose',
  'update edit change modify set alter adjust replace patch revise rewrite rename fix close turn',
  'get fetch read retrieve show view display see load look print detail info information describe inspect give tell what say',
  'list all every each enumerate available which overview mine everybody everything what',
  'search find look query lookup locate seek know',
  'send post publish submit deliver push message tell notify announce inform write broadcast',
  'reply answer respond comment remark react reaction',
  'run execute invoke launch perform evaluate',
  'code script javascript program function',
  'stop end kill terminate cancel close quit',
  'move transfer relocate shift drag put',
  'copy duplicate clone',
  'file document disk',
  'directory folder',
  'image picture photo screenshot',
  'user person people member who colleague teammate somebody account follower',
  'issue ticket bug',
  'repository repo project',
  'database db',
  'website webpage page site web url internet online',
  'message chat text say',
  'assign give invite',
  'table sheet spreadsheet workbook',
  'label tag',
  'undo revert reset restore back',
  'difference diff compare changed change',
  'history log past happen activity action',
  'latest newest recent last',
  'size big large space storage',
  'count number many total much',
  'event meeting appointment calendar invitation',
  'chart graph diagram plot draw',
  'distribution histogram frequency often',
  'replica copy instance',
  'rename name',
  'key field column property attribute',
  'row record entry',
  'block paragraph',
  'due deadline',
  'task todo',
  'distance far travel long',
  'direction route way drive bus train car walk',
  'address place location geocode coordinate latitude longitude',
  'elevation high height altitude',
  'organization company hierarchy',
  'memory remember knowledge know fact',
  'press click hit tap',
  'rephrase reword paraphrase',
  'alert warning warn storm',
  'forecast tomorrow rain weather',
  'multiple several many batch bulk',
  'check verify test pass status',
  'mongo mongodb',
  'k8s kubernetes kubectl cluster pod',
];

const meaningsOf = new Map<string, readonly string[]>();
for (const [index, line] of meanings.entries()) {
  for (const word of line.split(' ')) {
    const stemmed = stem(word);
    meaningsOf.set(stemmed, [...(meaningsOf.get(stemmed) ?? []), `=${index}`]);
  }
}

/** A name with an ending, such as `notes.md`, speaks of a file. */
const fileName =
  /(?<=^|\s)[\p{L}\p{N}_-]+\.(?!com|org|net|io)\p{L}[\p{L}\p{N}]{1,4}(?=$|[\s,;?!])/gu;

/** The words of a text, in their simplest form; names in any style are taken apart. */
export function wordsOf(text: string): string[] {
  return text
    .replaceAll(fileName, ' file ')
    .replaceAll(/\b(?:tell|show|give) (?:me|us)\b/gi, 'show')
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => /\p{L}/u.test(word) && !idle.has(word))
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
