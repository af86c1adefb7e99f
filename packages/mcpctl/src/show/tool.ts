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
  return [
    style.bold(toolSignature(tool)),
    ...(typeof shownTitle === 'string' ? [plainLine(shownTitle)] : []),
    ...(typeof description === 'string' ? ['', plainText(description.trimEnd())] : []),
    ...(hints.length === 0 ? [] : ['', style.dim(plainLine(hints.join(', ')))]),
    '',
    style.dim('Input:'),
    prettyJson(inputSchema),
    ...(outputSchema === undefined ? [] : [style.dim('Output:'), prettyJson(outputSchema)]),
  ].join('\n');
}
