import type { Tool } from 'mcp-kit/internal';
import type { ToolEffect } from '@mcp-kit/host';
import type { Listing } from '../upstream/listing.ts';

/** What a tool does, going by its annotations; one that says nothing may do anything. */
export function effectOf({ annotations = {} }: Pick<Tool, 'annotations'>): ToolEffect {
  if (annotations.readOnlyHint === true) return 'read';
  return annotations.destructiveHint === false ? 'write' : 'destructive';
}

type Annotations = NonNullable<Tool['annotations']>;

const tables = new WeakMap<Listing, ReadonlyMap<string, Annotations>>();

/** What a tool of a server says of itself, as far as it was approved: nothing of what nobody has looked at, or is not listed. */
function annotationsIn(listing: Listing | undefined, tool: string): Annotations {
  if (listing === undefined) return {};
  let table = tables.get(listing);
  if (table === undefined) {
    const fresh = new Set(listing.fresh);
    const approved = listing.tools.filter(({ name }) => !fresh.has(name));
    table = new Map(approved.map(({ name, annotations = {} }) => [name, annotations]));
    tables.set(listing, table);
  }
  return table.get(tool) ?? {};
}

/** What a tool of a server does, as far as it was approved. */
export function effectIn(listing: Listing | undefined, tool: string): ToolEffect {
  return effectOf({ annotations: annotationsIn(listing, tool) });
}

/** Whether a tool may run twice without doing more than once what it does. */
export function isHarmlessIn(listing: Listing | undefined, tool: string): boolean {
  const { readOnlyHint, idempotentHint } = annotationsIn(listing, tool);
  return readOnlyHint === true || idempotentHint === true;
}
