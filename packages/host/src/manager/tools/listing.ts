import type { Tool } from 'mcp-kit/internal';
import type { Known } from '../trust/assess.ts';
import { assessTools, type Withheld } from '../trust/tools.ts';

/** The tools of one server: those that may be used, and why others may not. */
export interface ToolListing {
  /** Sorted by name, so that the same tools always read the same. */
  readonly tools: readonly Tool[];
  /** Not what was approved. */
  readonly withheld: readonly Withheld[];
  /** Kept out by the globs of the configuration. */
  readonly denied: readonly string[];
  /** Usable, but nobody had seen them when the server was approved. */
  readonly fresh: readonly string[];
}

/** What tools are held to. */
export interface Rules {
  readonly known: Known;
  /** Whether the configuration lets a name pass. */
  passes(name: string): boolean;
}

/** Sorts tools out by what was approved and what the configuration lets pass. */
export function listingOf(
  tools: readonly Tool[],
  { known: { receipt, pin }, passes }: Rules,
): ToolListing {
  const first = assessTools(receipt ?? {}, tools);
  const second = assessTools(pin ?? {}, first.kept);
  const isPinned = receipt?.tools !== undefined || pin?.tools !== undefined;
  const isNew = (name: string): boolean => passes(name) && !isKnownTo(pin?.tools, name);
  return {
    tools: second.kept.filter(({ name }) => passes(name)).toSorted(byName),
    withheld: [...first.withheld, ...second.withheld],
    denied: second.kept.map(({ name }) => name).filter((name) => !passes(name)),
    fresh: isPinned ? first.fresh.filter(isNew) : [],
  };
}

/** By code units: the same in every locale. */
function byName(one: Tool, other: Tool): number {
  return one.name < other.name ? -1 : 1;
}

function isKnownTo(tools: Readonly<Record<string, unknown>> | undefined, name: string): boolean {
  return tools !== undefined && Object.hasOwn(tools, name);
}
