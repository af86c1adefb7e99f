import { isRecord, type PromptArgument } from 'mcp-kit/internal';
import type { JsonSchema, Prompt, Tool } from 'mcp-kit/protocol';
import { propertyOf, typesOf } from '../arguments/typed.ts';
import { plainLine } from '../terminal/plain-text.ts';

/** What a tool takes, as a programmer writes it: `echo(text: string, times?: integer)`. */
export function toolSignature(tool: Tool): string {
  const schema = inputOf(tool);
  const { properties, required } = schema;
  const wanted = new Set<unknown>(Array.isArray(required) ? required : []);
  const names = isRecord(properties) ? Object.keys(properties) : [];
  // What is required comes first, as it would have to in a call.
  const ordered = [
    ...names.filter((argument) => wanted.has(argument)),
    ...names.filter((argument) => !wanted.has(argument)),
  ];
  const args = ordered.slice(0, maxArguments).map((argument) => {
    const mark = wanted.has(argument) ? '' : '?';
    return `${argument}${mark}: ${typeText(schema, argument)}`;
  });
  if (ordered.length > maxArguments) args.push(`… ${ordered.length - maxArguments} more`);
  return plainLine(`${tool.name}(${args.join(', ')})`);
}

/** Nobody reads more in one line. */
const maxArguments = 100;

/** The schema of what a tool takes; one that takes anything where a server says nothing. */
export function inputOf({ inputSchema }: Tool): JsonSchema {
  return isRecord(inputSchema) ? inputSchema : {};
}

/** The arguments of a prompt, as far as they have names. */
export function argumentsOf({ arguments: list }: Prompt): readonly PromptArgument[] {
  return Array.isArray(list)
    ? list.filter((one) => isRecord(one) && typeof one['name'] === 'string')
    : [];
}

/** What a prompt takes: `translate(text, language?)`. */
export function promptSignature(prompt: Prompt): string {
  const { name } = prompt;
  const list = argumentsOf(prompt).map((one) => `${one.name}${one.required ? '' : '?'}`);
  return plainLine(`${name}(${list.join(', ')})`);
}

const maxChoices = 5;

function typeText(whole: JsonSchema, argument: string): string {
  const part = propertyOf({ schema: whole, whole }, argument);
  if (part === undefined) return 'any';
  const choices = part.schema['enum'];
  if (Array.isArray(choices) && choices.length <= maxChoices) {
    return choices.map((choice) => JSON.stringify(choice)).join(' | ');
  }
  const types = [...typesOf(part)];
  return types.length === 0 ? 'any' : types.join(' | ');
}

/** The first line of a description that says something. */
export function firstLine(text: string | undefined): string {
  const lines = typeof text === 'string' ? text.split('\n') : [];
  return plainLine(lines.find((line) => line.trim() !== '') ?? '');
}
