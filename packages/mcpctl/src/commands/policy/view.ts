import type { PlacedRule, Policy } from '@mcp-kit/host/gateway';
import { lineOf, readConfigFile } from '@mcp-kit/host/internal';
import { shownFile } from '../../config.ts';
import type { Globals } from '../../globals.ts';

/** A rule with the line of its file where it begins. */
export type LinedRule = PlacedRule & { readonly line?: number | undefined };

/** Finds the lines of rules; a file that has changed since may have none. */
export async function linesOf(rules: Policy['rules']): Promise<readonly LinedRule[]> {
  const files = [...new Set(rules.flatMap(({ file }) => file ?? []))];
  const texts = new Map(
    await Promise.all(
      files.map(async (file) => {
        const text = await readConfigFile(file, { follow: true }).catch(() => undefined);
        return [file, text] as const;
      }),
    ),
  );
  return Promise.all(
    rules.map(async (rule) => {
      const text = rule.file === undefined ? undefined : texts.get(rule.file);
      return { ...rule, line: text === undefined ? undefined : await lineOf(text, rule.pointer) };
    }),
  );
}

/** Where a rule is: the file as its user would name it, and the line. */
export function placeOf({ file = '', line, pointer }: LinedRule, globals: Globals): string {
  const shown = shownFile(file, globals);
  return line === undefined ? `${shown}#${pointer}` : `${shown}:${line}`;
}

/** What a rule is about, in words. */
export function wordsOf(rule: PlacedRule): string {
  const lists = (
    ['servers', 'tools', 'prompts', 'resources', 'effects', 'principals'] as const
  ).flatMap((name) => (rule[name] === undefined ? [] : `${name} ${rule[name].join(', ')}`));
  const conditions = Object.entries(rule.arguments ?? {}).map(
    ([pointer, condition]) => `${pointer} ${JSON.stringify(condition)}`,
  );
  const words = [...lists, ...conditions];
  return words.length === 0 ? 'everything' : words.join('; ');
}
