import type { JsonSchema } from '#protocol';
import type { Tool, ToolTraits } from './define-tool.ts';

/** The traits of a tool, with what its author left out filled in. */
export type Traits = Required<ToolTraits>;

/** All there is to know about a tool before calling it. */
export interface Manifest extends Traits {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
}

export function traitsOf(tool: Tool): Traits {
  const { annotations = {}, layer = 'core', category = 'general' } = tool;
  const { supportsDryRun = false, prerequisites = [], examples = [] } = tool;
  const {
    safety = annotations.readOnlyHint === true
      ? 'readonly'
      : annotations.destructiveHint === false
        ? 'mutating'
        : 'destructive',
  } = tool;
  const { idempotent = safety === 'readonly' || annotations.idempotentHint === true } = tool;
  return { layer, category, safety, idempotent, supportsDryRun, prerequisites, examples };
}

/** The part of the traits that every list entry carries. */
export function listedTraits(tool: Tool): Omit<Traits, 'prerequisites' | 'examples'> {
  const { prerequisites: _prerequisites, examples: _examples, ...shown } = traitsOf(tool);
  return shown;
}
