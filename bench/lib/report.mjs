// From the runs of each candidate to rows, ratios and complaints. A row is { c, name, runs }; the first is the floor's.
import { least, median, most } from './stats.mjs';

/** A function from a row to the least value of a field, as a multiple of the floor's. */
export function leastRatio(rows, field) {
  const floor = rows[0]?.name === 'floor' ? least(rows[0].runs, field) : NaN;
  return (row) => least(row.runs, field) / floor;
}

// Round by round, each beside the floor of the same round: how far the least values can be believed.
const medianRatio = (floor, { runs }) =>
  median(runs.map((run, i) => run.cpu / (floor.runs[i]?.cpu ?? NaN)));

/** The value of each candidate, by its name; of two rows of one candidate the first counts. */
export function valuesOf(rows, value) {
  const values = {};
  for (const row of rows) if (row.runs.length > 0) values[row.name] ??= value(row);
  return values;
}

/** One line for each row with requests that were answered wrongly. */
export const faultLines = (title, rows) =>
  rows.flatMap(({ c, runs }) => {
    const wrong = Object.assign({}, ...runs.map((run) => run.failures));
    const some = Object.keys(wrong).length > 0;
    return some ? [`${title}, ${c.label}: ${JSON.stringify(wrong)}`] : [];
  });

/** The table of a load: CPU time first, since only that can be compared on a shared machine. */
export function loadTable(title, rows) {
  const ratio = leastRatio(rows, 'cpu');
  return {
    title,
    header: [
      'candidate',
      'CPU µs/request',
      '× floor',
      'median round',
      'µs over floor',
      'requests/s',
      'p50 ms',
      'p99 ms',
      'RSS MiB',
    ],
    rows: rows.map((row) => [
      row.c.label,
      least(row.runs, 'cpu'),
      ratio(row),
      medianRatio(rows[0], row),
      least(row.runs, 'cpu') - least(rows[0].runs, 'cpu'),
      most(row.runs, 'perSecond'),
      least(row.runs, 'p50'),
      least(row.runs, 'p99'),
      most(row.runs, 'rss'),
    ]),
  };
}
