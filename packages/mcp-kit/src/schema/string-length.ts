/** Whether a text has at least so many characters. Counts only when its length leaves that open: a character has one or two units. */
export function hasAtLeast(text: string, least: number): boolean {
  return text.length >= 2 * least || (text.length >= least && countCharacters(text) >= least);
}

/** Whether a text has at most so many characters. */
export function hasAtMost(text: string, most: number): boolean {
  return text.length <= most || (text.length <= 2 * most && countCharacters(text) <= most);
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _character of text) count++;
  return count;
}
