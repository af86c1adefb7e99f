import type { LogLine } from './protocol.ts';
import { maskSecrets } from '../terminal/secrets.ts';

/** The last of what each server said, and whoever wants to hear more of it. */
export interface LogBook {
  /** Takes text as it comes: lines may be cut anywhere. */
  add(server: string, from: LogLine['from'], text: string): void;
  /** The last lines, of one server or of all, in the order they came. */
  last(lines: number, server?: string): readonly LogLine[];
  /** Hears of lines from now on, until the function that is given back is called. */
  follow(hear: (line: LogLine) => void): () => void;
}

/** What is kept of each server. */
const maxLines = 2000;
const maxCharacters = 512 * 1024;
/** Longer lines are cut. */
const maxLine = 8 * 1024;

interface Page {
  lines: LogLine[];
  size: number;
  /** What came after the last end of a line. */
  rest: string;
}

/** Keeps so much of what servers say, and no more, without secrets. */
export function createLogBook(now: () => number = Date.now): LogBook {
  const pages = new Map<string, Page>();
  const followers = new Set<(line: LogLine) => void>();
  const write = (page: Page, line: LogLine): void => {
    page.lines.push(line);
    page.size += line.text.length;
    while (page.lines.length > maxLines || page.size > maxCharacters) {
      page.size -= page.lines.shift()?.text.length ?? 0;
    }
    for (const hear of followers) hear(line);
  };
  return {
    add(server, from, text) {
      const page = pages.get(server) ?? { lines: [], size: 0, rest: '' };
      pages.set(server, page);
      const whole = from === 'stderr' ? page.rest + text : `${text}\n`;
      const lines = whole.split(/\r?\n/);
      const rest = lines.pop() ?? '';
      if (rest.length > maxLine) lines.push(rest);
      if (from === 'stderr') page.rest = rest.length > maxLine ? '' : rest;
      for (const said of lines) {
        if (said === '') continue;
        const shown = String(
          maskSecrets(said.length > maxLine ? `${said.slice(0, maxLine)}…` : said),
        );
        write(page, { at: now(), server, from, text: shown });
      }
    },
    last(lines, server) {
      const chosen = server === undefined ? [...pages.values()] : [pages.get(server)];
      const all = chosen.flatMap((page) => page?.lines ?? []);
      if (server === undefined) all.sort((one, other) => one.at - other.at);
      return lines === 0 ? [] : all.slice(-lines);
    },
    follow(hear) {
      followers.add(hear);
      return () => followers.delete(hear);
    },
  };
}
