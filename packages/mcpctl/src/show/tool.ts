import type { Tool } from 'mcp-kit/protocol';
import type { Globals } from '../globals.ts';
import { plainLine, plainText } from '../terminal/plain-text.ts';
import { createStyle } from '../terminal/style.ts';
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
  if (hints.length > 0) lines.push('', style.dim(plainLine(hints.join(', '))));
  lines.push('', style.dim('Input:'), prettyJson(inputSchema));
  if (outputSchema !== undefined) lines.push(style.dim('Output:'), prettyJson(outputSchema));
  return lines.join('\n');
}
