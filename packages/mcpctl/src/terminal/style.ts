/** Paints text for a terminal, or leaves it as it is. */
export type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/** The paints, all of which do nothing without `color`. What is painted must have been made plain before. */
export function createStyle({ color }: { readonly color: boolean }): Style {
  const paint =
    (on: number, off: number): Paint =>
    (text) =>
      color && text !== '' ? `\u001B[${on}m${text}\u001B[${off}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}

/** Where something is shown. */
export interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether to use colour: as the user says by option or environment, and otherwise only on a terminal that can. */
export function wantsColor(
  screen: Screen,
  env: Environment,
  options: { readonly noColor?: boolean | undefined } = {},
): boolean {
  const { FORCE_COLOR: force, NO_COLOR: refused, TERM: term } = env;
  if (options.noColor) return false;
  if (force !== undefined) return force !== '0' && force !== 'false';
  if (refused !== undefined && refused !== '') return false;
  return screen.isTTY === true && term !== 'dumb';
}

/** How many cells a line has; none where lines have no end, as in a pipe. */
export function columnsOf({ isTTY, columns }: Screen): number | undefined {
  // Some terminals do not know, and say 0.
  return isTTY === true ? columns || 80 : undefined;
}
