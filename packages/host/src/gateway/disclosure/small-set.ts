import type { Tool } from 'mcp-kit/internal';
import type { ToolEffect } from '@mcp-kit/host';
import { effects } from './effect.ts';
import { serversLine } from './purpose.ts';

/** The tool that finds others. */
export const searchName = 'search_tools';

const callerNames: Readonly<Record<ToolEffect, string>> = {
  read: 'call_read_tool',
  write: 'call_write_tool',
  destructive: 'call_destructive_tool',
};

/** The tool that calls others of this effect. */
export function callerOfEffect(effect: ToolEffect): string {
  return callerNames[effect];
}

/** The effect that a caller is for; nothing for other names. */
export function effectOfCaller(name: unknown): ToolEffect | undefined {
  return effects.find((effect) => callerNames[effect] === name);
}

/** Hosts ask their users by these, so each caller has those of the tools it calls. */
const annotations = {
  read: { readOnlyHint: true },
  write: { readOnlyHint: false, destructiveHint: false },
  destructive: { readOnlyHint: false, destructiveHint: true },
} as const;

const says: Readonly<Record<ToolEffect, string>> = {
  read: 'Calls a tool whose effect is read.',
  write: 'Calls a tool whose effect is write: it adds or changes things.',
  destructive: 'Calls a tool whose effect is destructive, or not known.',
};

/** What may be said of all servers together, in characters. */
const serversCharacters = 500;

/** The few tools that clients see instead of many. */
export function smallSet(
  servers: readonly { readonly name: string; readonly purpose: string }[],
): readonly Tool[] {
  const line = serversLine(servers, serversCharacters);
  const search: Tool = {
    name: searchName,
    description: `Finds tools of: ${line}. Search before you say that something cannot be done.`,
    inputSchema: {
      type: 'object',
      properties: {
        query: {
          type: 'string',
          description: 'what to do, in words; or the name of a tool, for its whole schema',
        },
      },
      required: ['query'],
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
  };
  const callers = effects.map((effect): Tool => ({
    name: callerNames[effect],
    description: says[effect],
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, arguments: { type: 'object' } },
      required: ['name'],
    },
    annotations: annotations[effect],
  }));
  return [search, ...callers];
}
