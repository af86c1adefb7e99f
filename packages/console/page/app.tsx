import { useEffect } from 'react';
import { access } from './api.ts';
import { gateway } from './events.ts';
import { Live } from './live/live.tsx';
import { Numbers } from './numbers/numbers.tsx';
import { goTo, place, places } from './place.ts';
import { Servers } from './servers/servers.tsx';
import { createKept, trouble, useStore } from './store.ts';
import { Questions } from './try/questions.tsx';
import { Try } from './try/try.tsx';
import { language, useWords } from './words.ts';

const theme = createKept<'light' | 'dark' | 'auto'>('theme', 'auto');

const pages = { live: Live, servers: Servers, try: Try, numbers: Numbers } as const;

/** The whole page. */
export function App() {
  const say = useWords();
  const now = useStore(access);
  const wrong = useStore(trouble);
  const Page = pages[useStore(place)];
  useLook();
  useKeys();
  return (
    <>
      <Top />
      {now === 'lost' && <Notice text={say('lost')} />}
      {wrong !== '' && <Notice text={wrong} />}
      <main>{now === 'refused' ? <Refused /> : <Page />}</main>
      <Questions />
    </>
  );
}

function Top() {
  const say = useWords();
  const at = useStore(place);
  const state = useStore(gateway);
  const now = useStore(access);
  const [light, dark] = [useStore(theme) === 'light', useStore(theme) === 'dark'];
  const isDark = dark || (!light && matchMedia('(prefers-color-scheme: dark)').matches);
  return (
    <header className="top">
      <h1 className="brand">
        <img src="icon.svg" alt="" width="22" height="22" />
        <span>{state?.status.gateway.name ?? say('console')}</span>
      </h1>
      <nav aria-label={say('pages')}>
        {places.map((each, index) => (
          <a
            key={each}
            href={`#${each}`}
            aria-current={each === at ? 'page' : undefined}
            title={`${say(each)}  ${index + 1}`}
          >
            {say(each)}
          </a>
        ))}
      </nav>
      <span className={`access ${now}`} role="status">
        <i aria-hidden="true" />
        <span>{say(now === 'in' ? 'connected' : 'connecting')}</span>
      </span>
      <button
        type="button"
        className="quiet"
        onClick={() => language.set(language.get() === 'en' ? 'zh' : 'en')}
      >
        {say('language')}
      </button>
      <button
        type="button"
        className="quiet"
        aria-label={say('theme')}
        title={say('theme')}
        onClick={() => theme.set(isDark ? 'light' : 'dark')}
      >
        {isDark ? '☀' : '☾'}
      </button>
    </header>
  );
}

function Notice({ text }: { readonly text: string }) {
  return (
    <p className="notice" role="alert">
      {text}
    </p>
  );
}

function Refused() {
  const say = useWords();
  return (
    <div className="empty">
      <h2>{say('refused')}</h2>
      <p>{say('refusedHow')}</p>
      <code>mcpctl console</code>
    </div>
  );
}

function useLook(): void {
  const chosen = useStore(theme);
  const spoken = useStore(language);
  useEffect(() => {
    document.documentElement.dataset['theme'] = chosen;
    document.documentElement.lang = spoken;
  }, [chosen, spoken]);
}

/** Pages by their numbers, and the search by a stroke; not while somebody types. */
function useKeys(): void {
  useEffect(() => {
    const hear = (event: KeyboardEvent): void => {
      const { target, key, ctrlKey, metaKey, altKey } = event;
      if (ctrlKey || metaKey || altKey || !(target instanceof HTMLElement)) return;
      if (target.closest('input, textarea, select, dialog, .editor') !== null) return;
      const next = places[Number(key) - 1];
      if (next !== undefined) goTo(next);
      else if (key === '/') {
        event.preventDefault();
        document.querySelector<HTMLElement>('#search')?.focus();
      }
    };
    addEventListener('keydown', hear);
    return () => removeEventListener('keydown', hear);
  }, []);
}
