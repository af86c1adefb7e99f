import type { Defined } from '#base';
import type { JsonSchema, ToolAnnotations } from '#protocol';
import type { Plan, RiskLevel } from '../changes.ts';
import type { Safety, Tool, ToolHead, ToolTraits } from '../tool.ts';
import type { Entry } from '../entry.ts';
import type { FailureCode } from '../failure.ts';

/** The traits of a tool, with what its author left out filled in. */
export type Traits = Required<Defined<ToolTraits>>;

/** A failure that a call can end with. */
export interface ManifestError {
  readonly code: FailureCode;
  readonly when: string;
  readonly retryable: boolean;
}

/** All there is to know about a tool before calling it. */
export interface Manifest extends Traits {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  /** What only governed sets tell. */
  readonly riskLevel?: RiskLevel | undefined;
  readonly errors?: readonly ManifestError[] | undefined;
}

/** The traits of a tool. */
export function traitsOf(tool: Tool): Traits {
  const { annotations = {}, layer = 'core', category = 'general' } = tool;
  const { supportsDryRun = tool.plan !== undefined, prerequisites = [], examples = [] } = tool;
  const safety = safetyOf(tool);
  const { idempotent = safety === 'readonly' || annotations.idempotentHint === true } = tool;
  return { layer, category, safety, idempotent, supportsDryRun, prerequisites, examples };
}

function safetyOf({ safety, annotations = {} }: ToolHead): Safety {
  if (safety !== undefined) return safety;
  if (annotations.readOnlyHint === true) return 'readonly';
  return annotations.destructiveHint === false ? 'mutating' : 'destructive';
}

/** What a manifest says of any tool. */
export function manifestOf({ tool, input }: Entry, outputSchema: JsonSchema): Manifest {
  const { name, description } = tool;
  return { name, description, ...traitsOf(tool), inputSchema: input.json, outputSchema };
}

/** Whether a tool may change anything. */
export function isWriting({ tool }: { readonly tool: Tool }): boolean {
  return tool.plan !== undefined || safetyOf(tool) !== 'readonly';
}

/** The part of the traits that every list entry carries. */
export function listedTraits(tool: Tool): Omit<Traits, 'prerequisites' | 'examples'> {
  const { prerequisites: _prerequisites, examples: _examples, ...shown } = traitsOf(tool);
  return shown;
}

/** How bad a mistake would be: what the plan says, else the tool, else its safety. */
export function riskOf(plan: Pick<Plan, 'riskLevel'>, tool: ToolHead): RiskLevel {
  const fallback = safetyOf(tool) === 'destructive' ? 'high' : 'low';
  return plan.riskLevel ?? tool.riskLevel ?? fallback;
}

/** The hints of MCP that follow from the traits; what the author says in so many words goes before. */
export function derivedAnnotations(tool: Tool): ToolAnnotations {
  const { safety, idempotent } = traitsOf(tool);
  const hints =
    safety === 'readonly'
      ? { readOnlyHint: true }
      : {
          readOnlyHint: false,
          destructiveHint: safety === 'destructive',
          idempotentHint: idempotent,
        };
  return { ...hints, ...tool.annotations };
}
