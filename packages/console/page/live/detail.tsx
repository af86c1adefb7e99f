import { useEffect, useState } from 'react';
import { Copy } from '../parts/copy.tsx';
import { Json } from '../parts/json.tsx';
import { clock, duration, size, tokens } from '../parts/show.ts';
import { book, rowsOfCall, version, type Row } from '../rows.ts';
import { useStore } from '../store.ts';
import { takeUp } from '../try/taken-up.ts';
import { useWords } from '../words.ts';
import { outcomeOf } from './filter.ts';
import { useMessage } from './messages.ts';
import { Badge } from './row.tsx';
import { Timeline } from './timeline.tsx';

/** One message with all that belongs to it: both wires, where the time went, what the server said meanwhile. */
export function Detail({ row, close }: { readonly row: Row; readonly close: () => void }) {
  const say = useWords();
  useStore(version);
  const rows = row.call === undefined ? alone(row) : rowsOfCall(row.call);
  const [first = row] = rows;
  const [open, setOpen] = useState(row.seq);
  useEscape(close);
  const isCall =
    first.kind === 'request' && first.method === 'tools/call' && first.wire === 'client';
  return (
    <aside className="detail" aria-label={say('details')}>
      <header>
        <div>
          <h2>{first.item ?? first.method ?? first.kind}</h2>
          <p>
            {[first.host, first.server ?? rows.at(-1)?.server, first.version]
              .filter((part) => part !== undefined)
              .join(' · ')}
          </p>
        </div>
        <Badge outcome={outcomeOf(first)} />
        {isCall && (
          <button type="button" onClick={() => void takeUp(first)}>
            {say('tryAgain')}
          </button>
        )}
        <button type="button" className="quiet" aria-label={say('close')} onClick={close}>
          ✕
        </button>
      </header>
      {rows.length > 1 && <Timeline rows={rows} select={setOpen} />}
      <ol className="messages">
        {rows.map((one) => (
          <li key={one.seq} className={`wire-${one.wire}`}>
            <Message
              row={one}
              isOpen={open === one.seq}
              toggle={(next) => setOpen(next ? one.seq : 0)}
            />
          </li>
        ))}
      </ol>
      <Beside rows={rows} />
    </aside>
  );
}

function alone(row: Row): readonly Row[] {
  const answer = book().answers.get(row.seq);
  return answer === undefined ? [row] : [row, answer];
}

function Message({
  row,
  isOpen,
  toggle,
}: {
  readonly row: Row;
  readonly isOpen: boolean;
  readonly toggle: (isOpen: boolean) => void;
}) {
  const say = useWords();
  const { wire, isIn, kind, method, at, ms, bytes } = row;
  const arrow = wire === 'beside' ? '·' : (wire === 'client') === isIn ? '→' : '←';
  const place = wire === 'client' ? say('onWireClient') : say('onWireServer');
  return (
    <>
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => toggle(!isOpen)}>
        <i aria-hidden="true">{arrow}</i>
        <b>{kind === 'request' || kind === 'notification' ? method : kind}</b>
        <span className="place">{wire === 'beside' ? row.server : place}</span>
        <span className="facts">
          {clock(at)} · {size(bytes)} · ~{tokens(bytes)} tok
          {ms === undefined ? '' : ` · ${duration(ms)}`}
        </span>
      </button>
      {isOpen && <Body seq={row.seq} />}
    </>
  );
}

function Body({ seq }: { readonly seq: number }) {
  const say = useWords();
  const found = useMessage(seq);
  if (found === undefined) return <p className="quiet">{say('loading')}</p>;
  if (found instanceof Error) return <p role="alert">{found.message}</p>;
  const { message } = found;
  if (message === undefined) return <p className="quiet">{say('cancelled')}</p>;
  if (typeof message === 'string') return <pre className="json">{message}</pre>;
  return (
    <div className="body">
      <Copy label={say('copy')} text={() => JSON.stringify(message, undefined, 2)} />
      <Json value={message} label={say('rawMessage')} />
    </div>
  );
}

/** Lines of the server while it worked on this. */
function Beside({ rows }: { readonly rows: readonly Row[] }) {
  const say = useWords();
  const server = rows.find((row) => row.server !== undefined)?.server;
  const [first, last] = [rows[0], rows.at(-1)];
  if (server === undefined || first === undefined || last === undefined) return null;
  const own = new Set(rows);
  const lines = linesBetween(first.seq, last.seq + 50).filter(
    (row) => row.server === server && !own.has(row) && row.at <= last.at + 250,
  );
  if (lines.length === 0) return null;
  return (
    <section className="beside">
      <h3>{say('beside')}</h3>
      <pre tabIndex={0} aria-label={say('beside')}>
        {lines.map(({ at, gist }) => `${clock(at)}  ${gist}`).join('\n')}
      </pre>
    </section>
  );
}

function linesBetween(from: number, to: number): readonly Row[] {
  const { rows } = book();
  const offset = rows[0]?.seq ?? 0;
  return rows
    .slice(Math.max(from - offset, 0), to - offset)
    .filter(({ wire, kind }) => wire === 'beside' || kind === 'unreadable');
}

function useEscape(close: () => void): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      if (event.key === 'Escape' && document.querySelector('dialog[open]') === null) close();
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, [close]);
}
