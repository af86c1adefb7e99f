import { useMemo } from 'react';
import { duration } from '../parts/show.ts';
import { version } from '../rows.ts';
import { useStore } from '../store.ts';
import { useWords, type Word } from '../words.ts';
import { endedCalls, perStretch, tallyBy, tallyOf, type Tally } from './tally.ts';

const minutes = 60;

/** What was called, how long it took, what failed and what it cost, over what is kept. */
export function Numbers() {
  const say = useWords();
  // Once for several rows: all of them are counted.
  const now = Math.floor(useStore(version) / 5);
  const calls = useMemo(endedCalls, [now]);
  const all = tallyOf('', calls);
  const tables = [
    ['perServer', tallyBy(calls, ({ answer }) => answer.server)],
    ['perTool', tallyBy(calls, ({ request }) => request.item)],
    ['perHost', tallyBy(calls, ({ request, answer }) => request.host ?? answer.host)],
  ] as const satisfies readonly (readonly [Word, readonly Tally[]])[];
  const cards = [
    ['calls', all.calls.toLocaleString()],
    ['failures', all.notOk.toLocaleString()],
    ['median', duration(all.medianMs)],
    ['slowest', duration(all.slowMs)],
    ['tokens', `~${all.tokens.toLocaleString()}`],
  ] as const;
  if (calls.length === 0) {
    return (
      <div className="empty">
        <h2>{say('nothingYet')}</h2>
        <p>{say('nothingYetHow')}</p>
      </div>
    );
  }
  return (
    <div className="numbers" role="region" aria-label={say('numbers')} tabIndex={0}>
      <dl className="cards">
        {cards.map(([word, value]) => (
          <div key={word}>
            <dt>{say(word)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Chart
        stretches={perStretch(calls, { now: Date.now(), stretchMs: 60_000, count: minutes })}
      />
      {tables.map(([word, tallies]) => (
        <Table key={word} title={say(word)} tallies={tallies} />
      ))}
    </div>
  );
}

/** Calls of each minute of the last hour. */
function Chart({
  stretches,
}: {
  readonly stretches: readonly { readonly ok: number; readonly notOk: number }[];
}) {
  const say = useWords();
  const most = Math.max(1, ...stretches.map(({ ok, notOk }) => ok + notOk));
  const height = (count: number): number => (count / most) * 100;
  return (
    <figure className="chart">
      <figcaption>
        {say('callsPerMinute')} <span className="quiet">{say('overKept')}</span>
        <b>{most.toLocaleString()}</b>
      </figcaption>
      <svg
        viewBox={`0 0 ${stretches.length * 10} 100`}
        preserveAspectRatio="none"
        role="img"
        aria-label={say('callsPerMinute')}
      >
        {stretches.map(({ ok, notOk }, at) => (
          // Each minute has its place.
          <g key={`${at}`} transform={`translate(${at * 10} 0)`}>
            <rect className="ok" x="1" width="8" y={100 - height(ok + notOk)} height={height(ok)} />
            <rect
              className="not-ok"
              x="1"
              width="8"
              y={100 - height(notOk)}
              height={height(notOk)}
            />
          </g>
        ))}
      </svg>
    </figure>
  );
}

const shownRows = 50;

function Table({ title, tallies }: { readonly title: string; readonly tallies: readonly Tally[] }) {
  const say = useWords();
  return (
    <table>
      <caption>{title}</caption>
      <thead>
        <tr>
          {(['name', 'calls', 'failures', 'median', 'slowest', 'tokens'] as const).map((word) => (
            <th key={word} scope="col">
              {say(word)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {tallies.slice(0, shownRows).map(({ name, calls, notOk, medianMs, slowMs, tokens }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>{calls.toLocaleString()}</td>
            <td className={notOk > 0 ? 'bad' : ''}>{notOk.toLocaleString()}</td>
            <td>{duration(medianMs)}</td>
            <td>{duration(slowMs)}</td>
            <td>~{tokens.toLocaleString()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
