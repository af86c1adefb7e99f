import { isRecord, type Tool } from 'mcp-kit/internal';
import type { ToolEffect } from '@mcp-kit/host';
import { beginningOf, tokensOf } from '../results/size.ts';
import { callerOfEffect } from './small-set.ts';

const lineBytes = 200;
const schemaBytes = 600;
const answerTokens = 1500;

/** What was found, as text: name, effect, what it does, and its arguments; bounded, the best first. */
export function foundText(tools: readonly Tool[], effectOf: (tool: Tool) => ToolEffect): string {
  const lines: string[] = [];
  let tokens = 0;
  for (const tool of tools) {
    const text = entry(tool, effectOf(tool));
    tokens += tokensOf(text);
    if (tokens > answerTokens && lines.length > 0) break;
    lines.push(text);
  }
  lines.push(
    `Call them with ${callerOfEffect('read')}, ${callerOfEffect('write')} or ${callerOfEffect('destructive')}, by effect. ? marks what may be left out.`,
  );
  return lines.join('\n');
}

function entry(tool: Tool, effect: ToolEffect): string {
  const { description = '', title, annotations } = tool;
  const [line = ''] = (description || title || annotations?.title || '').trim().split('\n', 1);
  const said = beginningOf(line, lineBytes);
  const args = argumentsText(tool);
  return `${tool.name} [${effect}] ${said}\n  ${args}`;
}

/** The arguments in short: `path: string, depth?: integer`. */
function argumentsText({ inputSchema }: Tool): string {
  const text = objectText(inputSchema, 0);
  const cut = beginningOf(text, schemaBytes);
  return cut === text ? text : `${cut}… search for the name of this tool to see all`;
}

function objectText(schema: unknown, depth: number): string {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  if (!isRecord(properties)) return '{}';
  const required = isRecord(schema) && Array.isArray(schema['required']) ? schema['required'] : [];
  const members = Object.entries(properties).map(([name, one]) => {
    const mark = required.includes(name) ? '' : '?';
    return `${name}${mark}: ${typeText(one, depth)}`;
  });
  return `{${members.join(', ')}}`;
}

function typeText(schema: unknown, depth: number): string {
  if (!isRecord(schema)) return 'any';
  const { type, enum: values, items, const: only, anyOf, oneOf } = schema;
  if (only !== undefined) return JSON.stringify(only);
  if (Array.isArray(values)) {
    const shown = values.slice(0, 8).map((value) => JSON.stringify(value));
    return `${shown.join('|')}${values.length > 8 ? '|…' : ''}`;
  }
  const choices = Array.isArray(anyOf) ? anyOf : oneOf;
  if (type === undefined && Array.isArray(choices) && depth < 3) {
    return [...new Set(choices.slice(0, 4).map((one) => typeText(one, depth + 1)))].join('|');
  }
  if (type === 'array') return depth < 3 ? `${typeText(items, depth + 1)}[]` : 'array';
  if (type === 'object') return depth < 2 ? objectText(schema, depth + 1) : 'object';
  return Array.isArray(type) ? type.join('|') : typeof type === 'string' ? type : 'any';
}
