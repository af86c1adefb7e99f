import {
  createEraCache,
  openSession,
  type InputHandlers,
  type Session,
  type SessionOptions,
} from 'mcp-kit/client';
import type { CallToolResult, Target } from 'mcp-kit/protocol';
import { Inbox } from './inbox.ts';

type Handlers = Required<Pick<InputHandlers, 'elicit' | 'elicitUrl' | 'sample'>>;

/** A session of ours, with what it was told and asked. */
export interface Conversation extends AsyncDisposable {
  readonly session: Session;
  readonly inbox: Inbox;
  /** What the server has asked, in order. */
  readonly asked: { readonly kind: keyof Handlers | 'roots'; readonly params: unknown }[];
  /** How it is answered; a test may replace an answer. */
  readonly answers: Handlers;
}

/** Opens a session that answers everything, and remembers nothing from other sessions. */
export async function converse(
  target: Target,
  options: SessionOptions = {},
): Promise<Conversation> {
  const inbox = new Inbox();
  const asked: Conversation['asked'] = [];
  const answers: Handlers = {
    elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    elicitUrl: () => ({ action: 'accept' }),
    sample: () => ({
      role: 'assistant',
      model: 'test-model',
      content: { type: 'text', text: 'a thought' },
    }),
  };
  const session = await openSession(target, {
    name: 'interop',
    version: '1.0.0',
    eraCache: createEraCache(),
    inputs: {
      elicit(params, context) {
        asked.push({ kind: 'elicit', params });
        return answers.elicit(params, context);
      },
      elicitUrl(params, context) {
        asked.push({ kind: 'elicitUrl', params });
        return answers.elicitUrl(params, context);
      },
      sample(params, context) {
        asked.push({ kind: 'sample', params });
        return answers.sample(params, context);
      },
      roots() {
        asked.push({ kind: 'roots', params: undefined });
        return [{ uri: 'file:///work', name: 'work' }];
      },
    },
    onNotification: (notification) => inbox.put(notification),
    ...options,
  });
  return { session, inbox, asked, answers, [Symbol.asyncDispose]: () => session.close() };
}

/** All text of a result. */
export function textOf({ content }: CallToolResult): string {
  return content.map((block) => ('text' in block ? block.text : '')).join('\n');
}

/** Everything a list gives, across its pages. */
export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
