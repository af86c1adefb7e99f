import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from './child-process.ts';

/** The pages that these tests hold to the truth. */
export const pages: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs/bridge.md',
  'docs/client.md',
  'docs/cocos.md',
  'docs/errors.md',
  'docs/gateway.md',
  'docs/running.md',
  'docs/transcripts.md',
  'docs/http.md',
  'docs/inside/bridge.md',
  'docs/inside/calls.md',
  'docs/inside/cocos.md',
  'docs/inside/gateway.md',
  'docs/inside/manager.md',
  'docs/inside/shipping.md',
  'docs/inside/tools.md',
  'docs/lint.md',
  'docs/manager.md',
  'docs/mcpctl.md',
  'docs/reports/cocos-performance.md',
  'docs/reports/cocos-requirements.md',
  'docs/reports/cocos-tests.md',
  'docs/reports/public-projects.md',
  'docs/security.md',
  'docs/server.md',
  'docs/skills.md',
  'docs/tools.md',
];

/** Whether a file or folder that a page names is there: below the repository, or below the sources of the library. */
export function isThere(name: string): boolean {
  return [name, path.join('packages/mcp-kit/src', name)].some((place) =>
    existsSync(path.join(root, place)),
  );
}

/** A fenced block of a page. */
export interface Block {
  /** What follows the fence: a language, and what to do with it. */
  readonly info: string;
  readonly body: string;
  /** The number of the section it is in. */
  readonly section: number;
}

/** The text of a page. */
export function read(page: string): string {
  return readFileSync(path.join(root, page), 'utf8');
}

/** The fenced blocks of a page, in order. */
export function blocks(text: string): readonly Block[] {
  const found: Block[] = [];
  let section = 0;
  for (const [part, info, body] of text.matchAll(/^(?:#.*|```(.*)\n([^]*?)^```)$/gm)) {
    if (part.startsWith('#')) section++;
    else found.push({ info: info ?? '', body: body ?? '', section });
  }
  return found;
}

/** The text without its fenced blocks. */
export function prose(text: string): string {
  return text.replaceAll(/^```[^]*?^```$/gm, '');
}

/** The rows of the table whose first column is headed `first`, as cells without backticks. */
export function tableOf(text: string, first: string): readonly (readonly string[])[] {
  const lines = text.split('\n');
  const head = lines.findIndex((line) => line.startsWith(`| ${first} |`));
  if (head < 0) throw new Error(`no table begins with "${first}"`);
  const rows: string[][] = [];
  for (const line of lines.slice(head + 2)) {
    if (!line.startsWith('|')) break;
    const cells = line.replaceAll('\\|', '\0').split('|').slice(1, -1);
    rows.push(cells.map((cell) => cell.replaceAll('`', '').replaceAll('\0', '|').trim()));
  }
  return rows;
}

/** How a heading is named in links to it. */
export function anchors(text: string): readonly string[] {
  return [...prose(text).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
