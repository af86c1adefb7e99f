import { useState } from 'react';
import type { OpenQuestion } from '../../src/api/trying.ts';
import { ask } from '../api.ts';
import { questions } from '../events.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Json } from '../parts/json.tsx';
import { textOf } from '../parts/show.ts';
import { useStore } from '../store.ts';
import { useWords } from '../words.ts';
import { emptyOf } from './drafts.ts';
import { Form } from './form.tsx';
import type { Schema } from './offers.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What tools want to know while they run is asked here, one after the other. */
export function Questions() {
  const [first] = useStore(questions);
  if (first === undefined) return null;
  return <Question key={first.id} question={first} />;
}

function Question({ question }: { readonly question: OpenQuestion }) {
  const say = useWords();
  const answer = (result: object): void => {
    void ask('answer', { id: question.id, result });
  };
  const decline = (): void => answer({ action: question.kind === 'sample' ? 'cancel' : 'decline' });
  const params = Object(question.params) as Fields;
  return (
    <Dialog title={say('question')} close={decline}>
      {question.kind === 'form' && (
        <FormQuestion params={params} answer={answer} decline={decline} />
      )}
      {question.kind === 'visit' && <Visit params={params} answer={answer} decline={decline} />}
      {question.kind === 'sample' && <Sample params={params} answer={answer} />}
    </Dialog>
  );
}

interface Asked {
  readonly params: Fields;
  readonly answer: (result: object) => void;
  readonly decline: () => void;
}

function FormQuestion({ params, answer, decline }: Asked) {
  const say = useWords();
  const schema = Object(params['requestedSchema']) as Schema;
  const [content, setContent] = useState(() => emptyOf({ ...schema, type: 'object' }) as Fields);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        answer({ action: 'accept', content });
      }}
    >
      <p className="asked">{textOf(params['message'])}</p>
      <Form schema={schema} value={content} change={setContent} />
      <div className="bar">
        <button type="submit" className="main">
          {say('accept')}
        </button>
        <button type="button" onClick={decline}>
          {say('decline')}
        </button>
      </div>
    </form>
  );
}

function Visit({ params, answer, decline }: Asked) {
  const say = useWords();
  const url = textOf(params['url']);
  const isPage = /^https?:\/\//.test(url);
  return (
    <>
      <p className="asked">{textOf(params['message'])}</p>
      <p>{say('visit')}</p>
      <code>{url}</code>
      <div className="bar">
        {isPage && (
          <a
            className="button main"
            href={url}
            target="_blank"
            rel="noreferrer noopener"
            onClick={() => answer({ action: 'accept' })}
          >
            {say('accept')}
          </a>
        )}
        <button type="button" onClick={decline}>
          {say('decline')}
        </button>
      </div>
    </>
  );
}

function Sample({ params, answer }: Omit<Asked, 'decline'>) {
  const say = useWords();
  const [text, setText] = useState('');
  const content = { type: 'text', text };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        answer({ role: 'assistant', model: 'person', stopReason: 'endTurn', content });
      }}
    >
      <p>{say('sampleAsk')}</p>
      <Json value={params['messages']} label={say('messages')} />
      <textarea
        rows={6}
        aria-label={say('answer')}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="bar">
        <button type="submit" className="main">
          {say('answer')}
        </button>
      </div>
    </form>
  );
}
