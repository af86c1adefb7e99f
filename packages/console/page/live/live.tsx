import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { VirtualList } from '../parts/virtual-list.tsx';
import { book, rowAt, version, type Row } from '../rows.ts';
import { createKept, createStore, useStore } from '../store.ts';
import { useWords } from '../words.ts';
import { Detail } from './detail.tsx';
import { createMatches, everything, type Filter } from './filter.ts';
import { Filters } from './filters.tsx';
import { columnsOf, Cells } from './row.tsx';

/** What is chosen stays chosen while other pages are looked at. */
const filter = createKept<Filter>('filter', everything);
const chosen = createStore<number | undefined>(undefined);
const follows = createStore(true);

const rowHeight = 30;

/** Everything that crosses, as it does. */
export function Live() {
  const say = useWords();
  const wanted = useStore(filter);
  const now = useDeferredValue(useStore(version));
  const isFollowing = useStore(follows);
  const seq = useStore(chosen);
  const [matches] = useState(createMatches);
  const rows = useMemo(() => matches(wanted), [matches, wanted, now]);
  const selected = useMemo(() => indexOf(rows, seq), [rows, seq]);
  const select = useCallback(
    (index: number) => {
      follows.set(false);
      chosen.set(rows[index]?.seq);
    },
    [rows],
  );
  const row = seq === undefined ? undefined : rowAt(seq);
  const { missed } = book();
  return (
    <div className={row === undefined ? 'live' : 'live with-detail'}>
      <Filters filter={wanted} change={(next) => filter.set(next)} follows={follows} />
      {missed > 0 && (
        <p className="notice">
          {missed.toLocaleString()} {say('missed')}
        </p>
      )}
      {rows.length === 0 ? (
        <Nothing isFiltered={wanted !== everything && book().rows.length > 0} />
      ) : (
        <VirtualList
          label={say(wanted.show)}
          count={rows.length}
          rowHeight={rowHeight}
          columns={columnsOf(say)}
          columnCount={6}
          row={(index) => {
            const one = rows[index];
            return one === undefined ? null : <Cells row={one} />;
          }}
          keyOf={(index) => rows[index]?.seq ?? index}
          selected={selected}
          select={select}
          follows={isFollowing}
          setFollows={(next) => follows.set(next)}
        />
      )}
      {row !== undefined && <Detail key={row.seq} row={row} close={() => chosen.set(undefined)} />}
    </div>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  const say = useWords();
  return (
    <div className="empty">
      <h2>{say(isFiltered ? 'nothingFits' : 'nothingYet')}</h2>
      {isFiltered ? (
        <button type="button" onClick={() => filter.set({ ...everything, show: 'messages' })}>
          {say('clearFilters')}
        </button>
      ) : (
        <p>{say('nothingYetHow')}</p>
      )}
    </div>
  );
}

/** Where in sorted rows one is. */
function indexOf(rows: readonly Row[], seq: number | undefined): number | undefined {
  if (seq === undefined) return undefined;
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.seq ?? 0) < seq) low = middle + 1;
    else high = middle;
  }
  return rows[low]?.seq === seq ? low : undefined;
}
