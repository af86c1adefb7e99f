import { useEffect, useRef, useState } from 'react';
import { ask } from '../api.ts';
import { progress } from '../events.ts';
import { createKept, useStore } from '../store.ts';
import { useWords } from '../words.ts';
import { CopyAs } from './copy-as.tsx';
import { draftOf, drafts, keyOf, remember, saved, setDraft } from './drafts.ts';
import { Editor } from './editor.tsx';
import { Form } from './form.tsx';
import type { Offer } from './offers.ts';
import { requestOf } from './request.ts';
import { Result, type Tried } from './result.tsx';
import { before } from './taken-up.ts';

/** How arguments are typed. */
const way = createKept<'form' | 'json'>('way', 'form');

/** One tool, prompt or resource: what it takes, and what it answers. */
export function Call({ offer }: { readonly offer: Offer }) {
  const say = useWords();
  const key = keyOf(offer);
  const text = draftOf(offer, useStore(drafts));
  const { run, cancel, isRunning, tried } = useRun(offer, text);
  const compared = useStore(before);
  const { name, title, description, kind, hints } = offer;
  return (
    <section
      className="sheet"
      aria-label={name}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          void run();
        }
      }}
    >
      <header>
        <h2>{name}</h2>
        {Object.entries(hints).map(([hint, value]) =>
          value === true && hint.endsWith('Hint') ? (
            <span key={hint} className={`badge ${hint}`}>
              {hint.slice(0, -4)}
            </span>
          ) : null,
        )}
      </header>
      {title !== '' && title !== name && <p className="title">{title}</p>}
      {description !== '' && <p className="description">{description}</p>}
      {kind !== 'resource' && (
        <Arguments offer={offer} text={text} setText={(next) => setDraft(key, next)} />
      )}
      <div className="bar">
        <button type="button" className="main" disabled={isRunning} onClick={() => void run()}>
          {isRunning ? say('running') : say(kind === 'tool' ? 'run' : 'read')}
          <kbd>Ctrl ↵</kbd>
        </button>
        {isRunning && (
          <button type="button" onClick={cancel}>
            {say('cancel')}
          </button>
        )}
        <button
          type="button"
          onClick={() => saved.set([{ kind, name, text, at: Date.now() }, ...saved.get()])}
        >
          {say('save')}
        </button>
        <CopyAs offer={offer} text={text} tried={tried} />
      </div>
      {isRunning && <Progress name={key} />}
      {tried !== undefined && (
        <Result tried={tried} before={compared?.key === key ? compared.result : undefined} />
      )}
    </section>
  );
}

function Arguments({
  offer,
  text,
  setText,
}: {
  readonly offer: Offer;
  readonly text: string;
  readonly setText: (text: string) => void;
}) {
  const say = useWords();
  const how = useStore(way);
  const { schema } = offer;
  if (Object.keys(schema.properties ?? {}).length === 0 && how === 'form') {
    return (
      <div className="arguments">
        <Ways />
        <p className="quiet">{say('noArguments')}</p>
      </div>
    );
  }
  const value = how === 'form' ? parse(text) : undefined;
  return (
    <div className="arguments">
      <Ways />
      {how === 'json' && <Editor text={text} schema={schema} setText={setText} />}
      {how === 'form' && value === undefined && <p className="notice">{say('notValid')}</p>}
      {how === 'form' && value !== undefined && (
        <Form
          schema={schema}
          value={value}
          change={(next) => setText(JSON.stringify(next, undefined, 2))}
        />
      )}
      {how === 'form' && value === undefined && (
        <Editor text={text} schema={schema} setText={setText} />
      )}
    </div>
  );
}

function Ways() {
  const say = useWords();
  const how = useStore(way);
  return (
    <div className="switch" role="group" aria-label={say('arguments')}>
      {(['form', 'json'] as const).map((one) => (
        <button key={one} type="button" aria-pressed={how === one} onClick={() => way.set(one)}>
          {say(one)}
        </button>
      ))}
    </div>
  );
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    // Half of what somebody types is no JSON yet.
    return undefined;
  }
}

/** Progress as the server tells of it. */
function Progress({ name }: { readonly name: string }) {
  const say = useWords();
  const told = useStore(progress);
  const { progress: done, total, message } = told?.name === name ? told : {};
  return (
    <p className="progress" role="status">
      <progress
        value={done}
        max={total ?? (done === undefined ? undefined : done * 2)}
        aria-label={say('running')}
      />
      {message} {done !== undefined && total !== undefined ? `${done} / ${total}` : ''}
    </p>
  );
}

function useRun(offer: Offer, text: string) {
  const [isRunning, setRunning] = useState(false);
  const [tried, setTried] = useState<Tried>();
  const isShown = useRef(true);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  const name = keyOf(offer);
  const run = async (): Promise<void> => {
    const request = requestOf(offer, text);
    if (request instanceof Error) {
      setTried({ error: { message: request.message }, ms: 0 });
      return;
    }
    setRunning(true);
    remember({ kind: offer.kind, name: offer.name, text, at: Date.now() });
    const answer = await ask<Tried>('ask', { name, ...request }).catch((error: unknown) => ({
      error: { message: error instanceof Error ? error.message : String(error) },
      ms: 0,
    }));
    if (!isShown.current) return;
    setRunning(false);
    setTried(answer);
  };
  return { run, isRunning, tried, cancel: () => void ask('cancel', { name }) };
}
