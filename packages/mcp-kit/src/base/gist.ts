const shownCharacters = 200;

/** What a body says, in one line: of a page its title. */
export function gistOf(body: string): string {
  const isPage = /^\s*<(?:!doctype html|html|head)\b/i.test(body);
  const title = isPage ? /<title[^>]*>([^<]*)/i.exec(body)?.[1] : undefined;
  return title === undefined ? oneLine(body) : `a page with the title "${oneLine(title)}"`;
}

function oneLine(text: string): string {
  // Spaces and control characters; `\p{Cc}` would be looked up at every start.
  const line = text.slice(0, 4 * shownCharacters).replaceAll(/(?:\s|[^ -~\u00A0-\uFFFF])+/g, ' ');
  return line.trim().slice(0, shownCharacters);
}
