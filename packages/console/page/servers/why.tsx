import { useState } from 'react';
import { ask } from '../api.ts';
import { offers } from '../try/offers.ts';
import { useStore } from '../store.ts';
import { useWords } from '../words.ts';

interface Decision {
  readonly decision: 'allow' | 'ask' | 'deny';
  readonly effect: string;
  readonly rule?: {
    readonly file?: string;
    readonly line?: number;
    readonly words: string;
    readonly reason?: string;
  };
}

/** What the policy says of a tool, and which rule does. */
export function Why({ server }: { readonly server: string }) {
  const say = useWords();
  const [tool, setTool] = useState('');
  const [found, setFound] = useState<Decision | Error>();
  const names = useStore(offers).tools.flatMap(({ name }) =>
    name.startsWith(`${server}__`) ? [name.slice(server.length + 2)] : [],
  );
  const look = (): void => {
    ask<Decision>('why', { server, tool }).then(setFound, (error: Error) => setFound(error));
  };
  return (
    <section>
      <h3>{say('policy')}</h3>
      <form
        className="inline"
        onSubmit={(event) => {
          event.preventDefault();
          if (tool !== '') look();
        }}
      >
        <input
          list={`tools-of-${server}`}
          value={tool}
          aria-label={say('whyAsk')}
          placeholder={say('whyAsk')}
          onChange={({ target }) => setTool(target.value)}
        />
        <datalist id={`tools-of-${server}`}>
          {names.map((name) => (
            <option key={name} value={name} />
          ))}
        </datalist>
        <button type="submit">{say('why')}</button>
      </form>
      {found instanceof Error && <p role="alert">{found.message}</p>}
      {found !== undefined && !(found instanceof Error) && <Said found={found} />}
    </section>
  );
}

function Said({ found: { decision, effect, rule } }: { readonly found: Decision }) {
  const say = useWords();
  const place = rule?.file === undefined ? '' : `${rule.file}:${rule.line ?? ''}`;
  return (
    <p role="status">
      <span className={`badge ${decision}`}>{say(decision)}</span> {say('effect')}: {effect}.{' '}
      {rule === undefined ? say('noRule') : `${place} ${rule.words} ${rule.reason ?? ''}`}
    </p>
  );
}
