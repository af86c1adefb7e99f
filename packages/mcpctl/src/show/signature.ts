import { isRecord } from 'mcp-kit/jsonrpc';
import type { JsonSchema, Prompt, Tool } from 'mcp-kit/protocol';
import { propertyOf, typesOf } from '../arguments/typed.ts';
import { plainLine } from '../terminal/plain-text.ts';

/** What a tool takes, as a programmer writes it: `echo(text: string, times?: integer)`. */
export function toolSignature({ name, inputSchema }: Tool): string {
  const { properties, required } = inputSchema;
  const wanted: readonly unknown[] = Array.isArray(required) ? required : [];
  const names = isRecord(properties) ? Object.keys(properties) : [];
  // What is required comes first, as it would have to in a call.
  const ordered = [
    ...names.filter((argument) => wanted.includes(argument)),
    ...names.filter((argument) => !wanted.includes(argument)),
  ];
  const args = ordered.map((argument) => {
    const mark = wanted.includes(argument) ? '' : '?';
    return `${argument}${mark}: ${typeText(inputSchema, argument)}`;
  });
  return plainLine(`${name}(${args.join(', ')})`);
}

/** What a prompt takes: `translate(text, language?)`. */
export function promptSignature({ name, arguments: args = [] }: Prompt): string {
  const list = args.map((argument) => `${argument.name}${argument.required ? '' : '?'}`);
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
  const line = (text ?? '').split('\n').find((candidate) => candidate.trim() !== '');
  return plainLine(line ?? '');
}
