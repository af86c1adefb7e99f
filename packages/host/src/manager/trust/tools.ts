import { KitError } from 'mcp-kit/internal';
import { canonicalJson, digestOf } from './canonical.ts';
import { changesBetween, type Change } from './diff.ts';
import type { Pin, PinnedTool } from './receipt.ts';

/** A tool as a server lists it. */
export interface ToolDefinition {
  readonly name: string;
}

/** A tool that is not offered, and why. */
export interface Withheld {
  readonly name: string;
  readonly reason: 'changed' | 'ambiguous';
  readonly changes: readonly Change[];
}

/** The tools of a server, compared with what was approved. */
export interface AssessedTools<Tool> {
  readonly kept: readonly Tool[];
  /** Those among the kept that nobody has seen before. */
  readonly fresh: readonly string[];
  readonly withheld: readonly Withheld[];
}

/** Keeps the tools that are as they were approved; one whose definition has changed is withheld, as is a name listed twice. */
export function assessTools<Tool extends ToolDefinition>(
  pin: Pick<Pin, 'tools'>,
  tools: readonly Tool[],
): AssessedTools<Tool> {
  const known = new Map(Object.entries(pin.tools ?? {}));
  const kept: Tool[] = [];
  const fresh: string[] = [];
  const withheld: Withheld[] = [];
  for (const [name, [tool, ...others]] of byName(tools)) {
    if (tool === undefined) continue;
    const approved = known.get(name);
    // Only where there is something to compare with: most servers list each name once, and are not pinned.
    const digest = approved || others.length > 0 ? digestOf(definitionOf(tool)) : undefined;
    const other = others.find((one) => digestOf(definitionOf(one)) !== digest);
    if (other !== undefined) {
      const changes = changesBetween(definitionOf(tool), definitionOf(other));
      withheld.push({ name, reason: 'ambiguous', changes });
    } else if (approved !== undefined && approved.digest !== digest) {
      const changes = changesBetween(approved.definition, definitionOf(tool));
      withheld.push({ name, reason: 'changed', changes });
    } else {
      kept.push(tool);
      if (approved === undefined) fresh.push(name);
    }
  }
  return { kept, fresh, withheld };
}

/** All tools of one server; those of most take a tenth. */
const maxPinned = 2 * 1024 * 1024;

/** The definitions to remember, by name. They are remembered for every server together, so none may have too many. */
export function pinTools(tools: readonly ToolDefinition[]): Readonly<Record<string, PinnedTool>> {
  let size = 0;
  const pins = tools.map((tool) => {
    const definition = definitionOf(tool);
    size += canonicalJson(definition).length;
    if (size > maxPinned) throw tooMuch();
    return [tool.name, { digest: digestOf(definition), definition }] as const;
  });
  return Object.fromEntries(pins);
}

function tooMuch(): KitError {
  return new KitError('invalid_answer', `its tools take more than ${maxPinned} characters`, {
    hint: 'So much cannot be approved. Report it to the author of the server.',
  });
}

/** All of a tool that a model or a caller goes by; `_meta` may differ between two listings of the same tool. */
function definitionOf(tool: ToolDefinition): Readonly<Record<string, unknown>> {
  const { _meta, ...definition } = tool as ToolDefinition & { _meta?: unknown };
  return definition;
}

function byName<Tool extends ToolDefinition>(tools: readonly Tool[]): Map<string, Tool[]> {
  const groups = new Map<string, Tool[]>();
  for (const tool of tools) {
    const group = groups.get(tool.name);
    if (group === undefined) groups.set(tool.name, [tool]);
    else group.push(tool);
  }
  return groups;
}
