import { useEffect, useState } from 'react';
import { gateway } from '../events.ts';
import { trouble, useStore } from '../store.ts';
import { useWords } from '../words.ts';
import { Call } from './call.tsx';
import { chosen, history, keyOf, saved, takeKept, type Kept } from './drafts.ts';
import { offers, readOffers, type Offer } from './offers.ts';

/** Names of tools and prompts begin with that of their server. */
const prefix = /^([\w-]+?)__/;

/** The most that is listed before somebody searches. */
const mostShown = 400;

/** Everything that hosts can use, to be tried by hand. */
export function Try() {
  const say = useWords();
  const all = useStore(offers);
  const hash = useStore(gateway)?.status.hash;
  const key = useStore(chosen);
  useEffect(() => {
    if (hash !== undefined) readOffers().catch((error: unknown) => trouble.set(String(error)));
  }, [hash]);
  const offer = [...all.tools, ...all.others].find((one) => keyOf(one) === key);
  return (
    <div className="split">
      <Side all={[...all.tools, ...all.others]} isKnown={all.isKnown} chosenKey={key} />
      {offer === undefined ? (
        <div className="empty">
          <h2>{say('chooseTool')}</h2>
          <p>{say('chooseToolHow')}</p>
        </div>
      ) : (
        <Call key={keyOf(offer)} offer={offer} />
      )}
    </div>
  );
}

function Side({
  all,
  isKnown,
  chosenKey,
}: {
  readonly all: readonly Offer[];
  readonly isKnown: boolean;
  readonly chosenKey: string | undefined;
}) {
  const say = useWords();
  const [text, setText] = useState('');
  const words = text.toLowerCase().split(/\s+/);
  const found = all.filter(({ name, title = '', description = '' }) => {
    const said = `${name} ${title} ${description}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
  return (
    <div className="side">
      <input
        type="search"
        id="search"
        value={text}
        placeholder={`${say('findTool')}  /`}
        aria-label={say('findTool')}
        onChange={({ target }) => setText(target.value)}
      />
      {!isKnown && <p className="quiet">{say('loading')}</p>}
      <ul aria-label={say('tools')}>
        {found.slice(0, mostShown).map((offer) => (
          <li key={keyOf(offer)}>
            <button
              type="button"
              aria-current={keyOf(offer) === chosenKey ? 'true' : undefined}
              title={offer.description}
              onClick={() => chosen.set(keyOf(offer))}
            >
              <i className={`kind ${offer.kind}`} aria-label={offer.kind}>
                {{ tool: 'ƒ', prompt: '¶', resource: '◫', template: '◫' }[offer.kind]}
              </i>
              <span className="names">
                <b>{offer.name.replace(prefix, '')}</b>
                <span className="quiet">
                  {[prefix.exec(offer.name)?.[1], offer.title || offer.description]
                    .filter((part) => part !== undefined && part !== '')
                    .join(' · ')}
                </span>
              </span>
            </button>
          </li>
        ))}
      </ul>
      <KeptCalls />
    </div>
  );
}

function KeptCalls() {
  const say = useWords();
  const [made, kept] = [useStore(history), useStore(saved)];
  return (
    <details className="kept">
      <summary>
        {say('history')} · {say('saved')}
      </summary>
      {made.length + kept.length === 0 && <p className="quiet">{say('savedEmpty')}</p>}
      <ul>
        {[...kept, ...made].map((one) => (
          <KeptCall key={`${one.at} ${one.name}`} kept={one} isSaved={kept.includes(one)} />
        ))}
      </ul>
    </details>
  );
}

function KeptCall({ kept, isSaved }: { readonly kept: Kept; readonly isSaved: boolean }) {
  const say = useWords();
  return (
    <li className="kept-call">
      <button type="button" title={kept.text} onClick={() => takeKept(kept)}>
        <i aria-hidden="true">{isSaved ? '★' : '↺'}</i>
        <span className="names">
          <b>{kept.name}</b>
          <span className="quiet">{kept.text.replaceAll(/\s+/g, ' ')}</span>
        </span>
      </button>
      {isSaved && (
        <button
          type="button"
          className="quiet"
          aria-label={`${say('remove')} ${kept.name}`}
          onClick={() => saved.set(saved.get().filter((one) => one !== kept))}
        >
          ✕
        </button>
      )}
    </li>
  );
}
