import { Json } from '../parts/json.tsx';
import { textOf } from '../parts/show.ts';
import { useWords } from '../words.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What browsers show as pictures and play, and what runs nothing while they do. */
const pictures = /^image\/(?:png|jpeg|gif|webp|avif)$/;
const sounds = /^audio\/[\w.+-]+$/;

/** A block of content: as text unless it is a picture or a sound. Nothing of it is ever taken for HTML. */
export function Block({ block }: { readonly block: Fields }) {
  const say = useWords();
  const { type, text, data, mimeType, role } = block;
  const kind = textOf(mimeType);
  return (
    <div className="block">
      {role !== undefined && <b className="role">{textOf(role)}</b>}
      {typeof text === 'string' && <Text text={text} />}
      {type === 'image' && pictures.test(kind) && (
        <img src={`data:${kind};base64,${textOf(data)}`} alt={say('image')} />
      )}
      {type === 'audio' && sounds.test(kind) && (
        <audio controls src={`data:${kind};base64,${textOf(data)}`} />
      )}
      {type === 'resource' && <Resource resource={Object(block['resource']) as Fields} />}
      {type === 'resource_link' && (
        <p>
          <code>{textOf(block['uri'])}</code> {textOf(block['title'] ?? block['name'])}
        </p>
      )}
      {!isShown(block, kind) && <Json value={block} label={say('result')} />}
    </div>
  );
}

function isShown({ type, text }: Fields, kind: string): boolean {
  if (typeof text === 'string' || type === 'resource' || type === 'resource_link') return true;
  return (type === 'image' && pictures.test(kind)) || (type === 'audio' && sounds.test(kind));
}

function Resource({ resource }: { readonly resource: Fields }) {
  const say = useWords();
  const { uri, mimeType, text, blob } = resource;
  const kind = textOf(mimeType);
  return (
    <figure>
      <figcaption>
        <code>{textOf(uri)}</code> <span className="quiet">{kind}</span>
      </figcaption>
      {typeof text === 'string' && <Text text={text} />}
      {typeof blob === 'string' && pictures.test(kind) && (
        <img src={`data:${kind};base64,${blob}`} alt={say('image')} />
      )}
      {typeof blob === 'string' && !pictures.test(kind) && (
        <p className="quiet">{blob.length.toLocaleString()} base64</p>
      )}
    </figure>
  );
}

/** JSON in a text is shown as JSON. */
function Text({ text }: { readonly text: string }) {
  const say = useWords();
  const value = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  if (value !== undefined) return <Json value={value} label={say('result')} />;
  return (
    <pre className="text" tabIndex={0}>
      {text}
    </pre>
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // It only begins like JSON.
    return undefined;
  }
}
