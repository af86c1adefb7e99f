import { useState } from 'react';
import { useWords } from '../words.ts';

/** Copies a text, and says so. */
export function Copy({ text, label }: { readonly text: () => string; readonly label: string }) {
  const say = useWords();
  const [isCopied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text());
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  return (
    <button type="button" className="quiet" onClick={() => void copy()}>
      {isCopied ? `✓ ${say('copied')}` : label}
    </button>
  );
}
