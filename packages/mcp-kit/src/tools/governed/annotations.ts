import type { ToolAnnotations } from '#protocol';
import type { Tool } from '../define-tool.ts';
import { traitsOf } from '../manifest/manifest.ts';

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
