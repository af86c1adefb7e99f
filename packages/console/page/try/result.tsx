import { useState } from 'react';
import { Copy } from '../parts/copy.tsx';
import { Json } from '../parts/json.tsx';
import { duration, textOf } from '../parts/show.ts';
import { Badge } from '../live/row.tsx';
import { useWords, type Word } from '../words.ts';
import { Block } from './block.tsx';
import { Difference } from './difference.tsx';

/** What came of a call. */
export interface Tried {
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message: string; readonly data?: unknown };
  readonly ms: number;
}

type View = Extract<Word, 'result' | 'structured' | 'rawMessage' | 'difference'>;

/** What came of a call, as people read it and as it is. */
export function Result({ tried, before }: { readonly tried: Tried; readonly before: unknown }) {
  const say = useWords();
  const { result, error, ms } = tried;
  const { structuredContent, isError } = Object(result) as {
    readonly structuredContent?: unknown;
    readonly isError?: unknown;
  };
  const views: View[] = ['result'];
  if (structuredContent !== undefined) views.push('structured');
  views.push('rawMessage');
  if (before !== undefined) views.push('difference');
  const [view, setView] = useState<View>(before === undefined ? 'result' : 'difference');
  const outcome = error !== undefined ? 'refused' : isError === true ? 'failed' : 'ok';
  const whole = error === undefined ? result : { error };
  return (
    <section className="result" aria-label={say('result')} aria-live="polite">
      <div className="bar">
        <div className="switch" role="group" aria-label={say('result')}>
          {views.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === view}
              onClick={() => setView(one)}
            >
              {say(one)}
            </button>
          ))}
        </div>
        <Badge outcome={outcome} />
        <span className="quiet">{duration(ms)}</span>
        <Copy label={say('copy')} text={() => JSON.stringify(whole, undefined, 2)} />
      </div>
      {view === 'result' && <Shown tried={tried} />}
      {view === 'structured' && <Json value={structuredContent} label={say('structured')} />}
      {view === 'rawMessage' && <Json value={whole} label={say('rawMessage')} />}
      {view === 'difference' && <Difference before={before} after={whole} />}
    </section>
  );
}

function Shown({ tried: { result, error } }: { readonly tried: Tried }) {
  const say = useWords();
  if (error !== undefined) {
    return (
      <div className="trouble" role="alert">
        <p>
          <b>{textOf(error.code)}</b> {error.message}
        </p>
        {error.data !== undefined && <Json value={error.data} label={say('error')} />}
      </div>
    );
  }
  const blocks = blocksOf(result);
  if (blocks.length === 0) return <Json value={result} label={say('result')} />;
  return (
    <div className="blocks">
      {blocks.map((block, at) => (
        <Block
          // Blocks have no names, and stay in their order.
          key={`${at}`}
          block={block}
        />
      ))}
    </div>
  );
}

type Fields = Readonly<Record<string, unknown>>;

/** The blocks of content in a result of a tool, a prompt or a resource. */
function blocksOf(result: unknown): readonly Fields[] {
  const { content, messages, contents } = Object(result) as Fields;
  if (Array.isArray(content)) return content as Fields[];
  if (Array.isArray(messages)) {
    return (messages as Fields[]).map(({ role, content: said }) => ({ ...Object(said), role }));
  }
  if (!Array.isArray(contents)) return [];
  return (contents as Fields[]).map((resource) => ({ type: 'resource', resource }));
}
