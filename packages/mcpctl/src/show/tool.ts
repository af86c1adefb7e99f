import type { ToolListing } from '@mcp-kit/host';
import { appUriOf, isVisibleTo } from 'mcp-kit/internal';
import type { Tool } from 'mcp-kit/protocol';
import type { Globals } from '../globals.ts';
import { warn } from '../output.ts';
import { plainLine, plainText } from '../terminal/plain-text.ts';
import { createStyle } from '../terminal/style.ts';
import { trustLine } from './find.ts';
import { prettyJson } from './item.ts';
import { toolSignature } from './signature.ts';

/** All about one tool, for people. */
export function showTool(tool: Tool, { color }: Globals): string {
  const style = createStyle({ color });
  const { title, description, inputSchema, outputSchema } = tool;
  const annotations = tool.annotations ?? {};
  const hints = Object.entries(annotations)
    .filter(([, value]) => typeof value === 'boolean')
    .map(([name, value]) => `${name.replace(/Hint$/, '')}: ${value ? 'yes' : 'no'}`);
  const shownTitle = title ?? annotations.title;
  const lines = [style.bold(toolSignature(tool))];
  if (typeof shownTitle === 'string') lines.push(plainLine(shownTitle));
  if (typeof description === 'string') lines.push('', plainText(description.trimEnd()));
  const app = appLine(tool);
  if (app !== undefined) lines.push('', style.dim(app));
  if (hints.length > 0) lines.push('', style.dim(plainLine(hints.join(', '))));
  lines.push('', style.dim('Input:'), prettyJson(inputSchema));
  if (outputSchema !== undefined) lines.push(style.dim('Output:'), prettyJson(outputSchema));
  return lines.join('\n');
}

/** The app that shows what a tool answers, and whether only that may call it; nothing where there is none. */
export function appLine(tool: Tool): string | undefined {
  const uri = appUriOf(tool);
  const parts: string[] = [];
  if (uri !== undefined) parts.push(`app: ${uri}`);
  if (!isVisibleTo('model', tool)) parts.push('only for apps');
  return parts.length === 0 ? undefined : plainLine(parts.join(', '));
}

/** Names the tools of a server that are not listed, or were not seen before, on standard error. */
export function mentionOthers(server: string, listing: ToolListing, globals: Globals): void {
  const { withheld, denied, fresh } = listing;
  const say = (text: string): void => warn(globals, plainLine(`${server}: ${text}`));
  for (const { name, reason } of withheld) {
    const why = reason === 'changed' ? 'is not what was approved' : 'is listed twice';
    say(`${name} is withheld: it ${why} (${trustLine('diff', server)})`);
  }
  if (denied.length > 0) say(`kept out by the configuration: ${denied.join(', ')}`);
  if (fresh.length > 0) say(`new since it was approved: ${fresh.join(', ')}`);
}
