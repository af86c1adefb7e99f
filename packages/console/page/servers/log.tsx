import { useMemo } from 'react';
import { clock } from '../parts/show.ts';
import { book, version } from '../rows.ts';
import { useStore } from '../store.ts';
import { useWords } from '../words.ts';

const shownLines = 200;

/** The last that a server said beside its answers, and what became of it. */
export function Log({ server }: { readonly server: string }) {
  const say = useWords();
  const now = useStore(version);
  const lines = useMemo(
    () =>
      book()
        .rows.filter(
          (row) => row.server === server && (row.wire === 'beside' || row.kind === 'unreadable'),
        )
        .slice(-shownLines),
    [server, now],
  );
  return (
    <section>
      <h3>{say('log')}</h3>
      {lines.length === 0 ? (
        <p className="quiet">{say('emptyLog')}</p>
      ) : (
        <pre className="lines" tabIndex={0} aria-label={say('log')}>
          {lines.map(({ seq, at, kind, gist }) => (
            <span key={seq} className={kind}>
              {`${clock(at)}  ${kind === 'stderr' ? '' : `${kind}: `}${gist}\n`}
            </span>
          ))}
        </pre>
      )}
    </section>
  );
}
