/** The scene with most nodes. */
export const largeScene: string;

/** Writes a large project into an empty folder; answers how many nodes its largest scene and how many assets it has. */
export function makeLargeProject(
  folder: string,
  size?: { readonly nodes?: number; readonly assets?: number },
): Promise<{ readonly nodes: number; readonly assets: number }>;

/** A square of one colour, as a PNG. */
export function squarePng(side: number, colour: readonly [number, number, number]): Buffer;
