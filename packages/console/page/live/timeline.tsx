import { duration } from '../parts/show.ts';
import type { Row } from '../rows.ts';
import { useWords } from '../words.ts';

/** A stretch of time that something took. */
interface Bar {
  readonly row: Row;
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Where the time of a call went: the whole of it, and what of it was at servers. */
export function Timeline({
  rows,
  select,
}: {
  readonly rows: readonly Row[];
  readonly select: (seq: number) => void;
}) {
  const say = useWords();
  const bars = barsOf(rows);
  const start = Math.min(...bars.map(({ from }) => from));
  const end = Math.max(...bars.map(({ to }) => to), start + 0.001);
  const share = (at: number): number => ((at - start) / (end - start)) * 100;
  return (
    <section className="timeline" aria-label={say('timeline')}>
      {bars.map(({ row, name, from, to }) => (
        <button key={row.seq} type="button" onClick={() => select(row.seq)}>
          <span className="name">{name}</span>
          <span className="track" aria-hidden="true">
            <span
              className={`bar wire-${row.wire}`}
              style={{
                left: `${share(from)}%`,
                width: `${Math.max(share(to) - share(from), 0.6)}%`,
              }}
            />
          </span>
          <span className="took">
            {to > from ? duration(to - from) : `+${duration(from - start)}`}
          </span>
        </button>
      ))}
    </section>
  );
}

function barsOf(rows: readonly Row[]): readonly Bar[] {
  const answers = new Map(rows.map((row) => [row.answers, row] as const));
  return rows.flatMap((row) => {
    if (row.kind === 'request') {
      const to = answers.get(row.seq)?.at ?? rows.at(-1)?.at ?? row.at;
      const who = row.wire === 'client' ? row.host : row.server;
      return [{ row, name: `${who ?? ''} ${row.method ?? ''}`.trim(), from: row.at, to }];
    }
    return row.kind === 'notification'
      ? [{ row, name: row.method ?? '', from: row.at, to: row.at }]
      : [];
  });
}
