import type { Listing } from '../upstream/listing.ts';
import { wordsOf } from './words.ts';

const purposes = new WeakMap<Listing, string>();

/** What a server is for, as far as it says so or its tools do. */
export function purposeOf(server: string, listing: Listing): string {
  const known = purposes.get(listing);
  if (known !== undefined) return known;
  const { about, instructions = '', tools } = listing;
  const said = about ?? firstSentence(instructions);
  const names = tools.map(({ name }) => name);
  const purpose = said === '' ? subjectsOf(server, names).join(', ') : said;
  purposes.set(listing, purpose);
  return purpose;
}

const mostSubjects = 4;
const verbs = new Set(
  wordsOf(
    'create add delete remove update edit set get read list search find send post run execute call check make generate write open close move copy manage query fetch retrieve show api data tool all new',
  ),
);

/** What the names of tools are about: what is in most of them and is no verb. */
function subjectsOf(server: string, names: readonly string[]): readonly string[] {
  const own = new Set(wordsOf(server));
  const counts = new Map<string, number>();
  for (const name of names) {
    const words = name.toLowerCase().split(/[^\p{L}\p{N}]+/u);
    for (const word of new Set(words)) {
      const [stemmed = ''] = wordsOf(word);
      if (!/\p{L}{2}/u.test(stemmed) || verbs.has(stemmed) || own.has(stemmed)) continue;
      const singular = word.replace(/s$/, '');
      counts.set(singular, (counts.get(singular) ?? 0) + 1);
    }
  }
  const several = [...counts].filter(([, count]) => count > 1);
  const sorted = several.sort(
    ([one, most], [other, more]) => more - most || (one < other ? -1 : 1),
  );
  return sorted.slice(0, mostSubjects).map(([word]) => word);
}

function firstSentence(text: string): string {
  const [first = ''] = text.trim().split(/(?<=[.!?])\s|\n/, 1);
  return first.trim();
}

/** The servers and what they are for, within so many characters: all names before any purpose. */
export function serversLine(
  servers: readonly { readonly name: string; readonly purpose: string }[],
  characters: number,
): string {
  const names = servers.reduce((sum, { name }) => sum + name.length + 2, 0);
  const each = Math.floor((characters - names) / Math.max(1, servers.length)) - 3;
  const shown = servers.map(({ name, purpose }) => {
    const cut = cutAtWord(purpose.replaceAll(/\s+/g, ' '), each);
    return cut === '' ? name : `${name} (${cut})`;
  });
  if (names <= characters) return shown.join(', ');
  let used = 0;
  const fitting = shown.filter((one) => (used += one.length + 2) <= characters);
  return `${fitting.join(', ')} and ${shown.length - fitting.length} more`;
}

function cutAtWord(text: string, most: number): string {
  if (text.length <= most) return text.replace(/[.\s]+$/, '');
  if (most < 8) return '';
  return text
    .slice(0, most)
    .replace(/[\s,;:(]+[^\s,;:(]*$/, '')
    .replace(/[.,;:\s]+$/, '');
}
