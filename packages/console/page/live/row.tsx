import type { ReactNode } from 'react';
import { clock, duration, size } from '../parts/show.ts';
import { book, type Row } from '../rows.ts';
import type { Say } from '../words.ts';
import { useWords } from '../words.ts';
import { hostOf, outcomeOf, serverOf } from './filter.ts';

/** The names of the columns. */
export function columnsOf(say: Say): ReactNode {
  const names = ['time', 'host', 'server', 'what', 'outcome', 'took', 'size'] as const;
  return names.map((name) => (
    <span key={name} role="columnheader" className={`cell-${name}`}>
      {say(name)}
    </span>
  ));
}

/** A message in one line. */
export function Cells({ row }: { readonly row: Row }) {
  const answer = book().answers.get(row.seq);
  const { method, item, gist, kind, wire, isIn } = row;
  const ms = row.ms ?? answer?.ms;
  const arrow = wire === 'beside' ? '·' : (wire === 'client') === isIn ? '→' : '←';
  return (
    <>
      <span role="gridcell" className="cell-time">
        {clock(row.at).slice(0, -4)}
        <span className="ms">{clock(row.at).slice(-4)}</span>
      </span>
      <span role="gridcell" className="cell-host" title={hostOf(row)}>
        {hostOf(row) ?? '–'}
      </span>
      <span role="gridcell" className={`cell-server wire-${wire}`} title={serverOf(row)}>
        <i aria-hidden="true">{arrow}</i>
        {serverOf(row) ?? '–'}
      </span>
      <span role="gridcell" className={`cell-what kind-${kind}`}>
        <b>{item ?? method ?? kind}</b>
        {item !== undefined && <em>{method}</em>}
        <span className="gist">{gist}</span>
      </span>
      <span role="gridcell" className="cell-outcome">
        <Badge outcome={outcomeOf(row)} />
      </span>
      <span role="gridcell" className="cell-took">
        {ms === undefined ? '' : duration(ms)}
      </span>
      <span role="gridcell" className="cell-size">
        {size(row.bytes + (answer?.bytes ?? 0))}
      </span>
    </>
  );
}

/** How it ended, in a word. */
export function Badge({ outcome }: { readonly outcome: string }) {
  const say = useWords();
  if (outcome === '') return null;
  return <span className={`badge ${outcome}`}>{say(wordOf(outcome))}</span>;
}

export function wordOf(outcome: string): 'ok' | 'failed' | 'error' | 'cancelled' | 'underWay' {
  if (outcome === 'refused') return 'error';
  if (outcome === 'failed' || outcome === 'cancelled' || outcome === 'underWay') return outcome;
  return 'ok';
}
