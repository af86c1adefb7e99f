/** What a model is asked to build, from an empty scene, and the calls that it takes. */
export const tasks: readonly {
  readonly name: string;
  readonly mostCalls: number;
  readonly steps: readonly (readonly [tool: string, args: object])[];
}[];
