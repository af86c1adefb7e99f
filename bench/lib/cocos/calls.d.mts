/** How long a call may take at the 95th percentile, in milliseconds. */
export const targets: Readonly<Record<'read' | 'write' | 'workflow', number>>;

/** The calls that are measured: by tool, of which kind it is, and its arguments in a round. */
export function measuredCalls(scratch: string): readonly {
  readonly tool: string;
  readonly kind: 'read' | 'write' | 'workflow';
  argumentsIn(round: number): Record<string, unknown>;
}[];
