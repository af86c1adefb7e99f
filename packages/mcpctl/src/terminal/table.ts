import { plainLine } from './plain-text.ts';
import type { Paint } from './style.ts';
import { displayWidth, fit, pad } from './width.ts';

export interface TableOptions {
  /** The titles of the columns. */
  readonly head?: readonly string[] | undefined;
  /** How many cells a line has; without, nothing is cut. */
  readonly columns?: number | undefined;
  /** Stands below when something had to be cut: what to add to see all. */
  readonly whenCut?: string | undefined;
  readonly paint?:
    | {
        readonly head?: Paint | undefined;
        /** How each column is painted. */
        readonly cells?: readonly (Paint | undefined)[] | undefined;
        readonly whenCut?: Paint | undefined;
      }
    | undefined;
}

const gap = '  ';
/** What is left of a column at least, unless it had less to begin with. */
const leastCells = 12;

/** Rows as aligned lines. Cells are made plain here; the first gives way last where a line has an end. */
export function table(rows: readonly (readonly string[])[], options: TableOptions = {}): string {
  const { head, columns, whenCut, paint = {} } = options;
  const cells = rows.map((row) => row.map(plainLine));
  const measured = head === undefined ? cells : [head, ...cells];
  if (measured.length === 0) return '';
  const wanted = widthsOf(measured);
  const widths = columns === undefined ? wanted : shrink(wanted, columns);
  const line = (row: readonly string[], paintOf: (at: number) => Paint | undefined): string =>
    row
      .map((cell, at) => {
        const width = widths[at] ?? 0;
        const fitted = fit(cell, width);
        const painted = paintOf(at)?.(fitted) ?? fitted;
        return at === row.length - 1 ? painted : painted + pad('', width - displayWidth(fitted));
      })
      .join(gap)
      .trimEnd();
  const wasCut = widths.some((width, at) => width < (wanted[at] ?? 0));
  const lines = cells.map((row) => line(row, (at) => paint.cells?.[at]));
  if (head !== undefined) lines.unshift(line(head, () => paint.head));
  if (wasCut && whenCut !== undefined) lines.push(paint.whenCut?.(whenCut) ?? whenCut);
  return lines.join('\n');
}

function widthsOf(rows: readonly (readonly string[])[]): number[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) {
      widths[at] = Math.max(widths[at] ?? 0, displayWidth(cell));
    }
  }
  return widths;
}

/** Takes from the last column first, then from the widest; from the first, which has the names, only when nothing else is left. */
function shrink(wanted: readonly number[], columns: number): number[] {
  const widths = [...wanted];
  const excess = (): number =>
    widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - columns;
  const narrow = (at: number, least: number): void => {
    const width = widths[at] ?? 0;
    widths[at] = Math.max(width - Math.max(0, excess()), Math.min(width, least));
  };
  narrow(widths.length - 1, 2 * leastCells);
  while (excess() > 0) {
    const [first = 0, second = 0] = widths.slice(1).sort((a, b) => b - a);
    if (first <= leastCells) break;
    narrow(widths.indexOf(first, 1), Math.max(leastCells, Math.min(second, first - 1)));
  }
  narrow(0, leastCells);
  return widths;
}
