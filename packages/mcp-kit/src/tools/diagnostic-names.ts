/** The names of the tools that tell about tools and calls. */
export const diagnosticNames: ReadonlySet<string> = new Set([
  'get_tool_manifest',
  'get_trace_by_id',
]);
