/** A glob as configurations have them: `*` stands for any characters, `?` for one; matched without backtracking into earlier stars. */
export function globOf(pattern: string): (text: string) => boolean {
  if (!/[*?]/.test(pattern)) return (text) => text === pattern;
  return (text) => matches(pattern, text);
}

function matches(pattern: string, text: string): boolean {
  let [at, read] = [0, 0];
  let star: { readonly at: number; read: number } | undefined;
  while (read < text.length) {
    if (pattern[at] === '*') {
      star = { at, read };
      at += 1;
    } else if (pattern[at] === '?' || (at < pattern.length && pattern[at] === text[read])) {
      at += 1;
      read += 1;
    } else if (star !== undefined) {
      star.read += 1;
      at = star.at + 1;
      read = star.read;
    } else {
      return false;
    }
  }
  return /^\**$/.test(pattern.slice(at));
}
