import { useState, type ReactNode } from 'react';
import { useWords } from '../words.ts';

/** Longer texts are shown in part, until somebody wants to see all. */
const shownCharacters = 20_000;

const token =
  /("(?:[^"\\]|\\.)*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g;

/** A value as JSON, with its parts told apart. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }) {
  const say = useWords();
  const [isWhole, setWhole] = useState(false);
  const text = JSON.stringify(value, undefined, 2) ?? '';
  const isLong = text.length > shownCharacters && !isWhole;
  const shown = isLong ? text.slice(0, shownCharacters) : text;
  return (
    <>
      <pre className="json" tabIndex={0} aria-label={label}>
        {coloured(shown)}
        {isLong ? '…' : ''}
      </pre>
      {isLong && (
        <button type="button" className="quiet" onClick={() => setWhole(true)}>
          {say('whole')} ({text.length.toLocaleString()})
        </button>
      )}
    </>
  );
}

function coloured(text: string): readonly ReactNode[] {
  const parts: ReactNode[] = [];
  let last = 0;
  for (const match of text.matchAll(token)) {
    const [whole, string, colon, word] = match;
    if (match.index > last) parts.push(text.slice(last, match.index));
    const kind =
      colon !== undefined ? 'key' : string !== undefined ? 'string' : word ? 'word' : 'number';
    parts.push(
      <span key={match.index} className={`json-${kind}`}>
        {whole}
      </span>,
    );
    last = match.index + whole.length;
  }
  parts.push(text.slice(last));
  return parts;
}
