import type { Params } from 'mcp-kit/jsonrpc';
import { expect } from 'vitest';
import { collect, textOf, type Conversation } from './client-session.ts';

/** What not every way to serve can do. */
export type Ability =
  /** Asks the client in the middle of a call. */
  | 'asks'
  /** Tells the progress of a call. */
  | 'reports'
  /** Sends log messages. */
  | 'logs'
  /** Sends notifications that belong to no call. */
  | 'tells'
  /** Notices that a call was cancelled. */
  | 'notices';

/** One behaviour, to be seen at every server that can. */
export interface ClientFeature {
  readonly name: string;
  readonly needs?: Ability;
  readonly era?: 'legacy' | 'modern';
  run(conversation: Conversation): Promise<void>;
}

let keys = 0;
const newKey = (): string => `call ${++keys}`;

const calling: readonly ClientFeature[] = [
  {
    name: 'the server introduces itself',
    async run({ session }) {
      expect(session.server).toMatchObject({ name: 'peer', version: '3.2.1' });
      expect(session.instructions).toBe('Try echo first.');
      expect(session.capabilities).toMatchObject({ tools: {}, resources: {}, prompts: {} });
      expect(session.isOpen).toBe(true);
    },
  },
  {
    name: 'tools are listed',
    async run({ session }) {
      const names = (await collect(session.tools())).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['echo', 'measure', 'ask_form']));
      expect(new Set(names).size).toBe(names.length);
    },
  },
  {
    name: 'a tool is called, in any script',
    async run({ session }) {
      for (const text of ['hello', '日本 – été 🌍', '\u2028\u0000\uFEFF', '']) {
        expect(textOf(await session.callTool('echo', { text }))).toBe(text);
      }
    },
  },
  {
    name: 'a large text makes the round',
    async run({ session }) {
      const text = '0123456789 é\n'.repeat(70_000);
      expect(textOf(await session.callTool('echo', { text }))).toBe(text);
    },
  },
  {
    name: 'calls at once get their own answers',
    async run({ session }) {
      const texts = Array.from({ length: 30 }, (_, index) => `number ${index}`);
      const results = texts.map((text) => session.callTool('echo', { text }));
      expect((await Promise.all(results)).map(textOf)).toEqual(texts);
    },
  },
  {
    name: 'a structured result arrives beside the text',
    async run({ session }) {
      const result = await session.callTool('measure', { text: 'four' });
      expect(result.structuredContent).toEqual({ characters: 4 });
    },
  },
  {
    name: 'a failure of a tool is a result',
    async run({ session }) {
      const result = await session.callTool('fail', {});
      expect(result.isError).toBe(true);
      expect(textOf(result)).toBe('it did not work');
    },
  },
  {
    name: 'a method the server does not have is refused in its own words',
    async run({ session }) {
      await expect(session.request('no/such', {})).rejects.toMatchObject({
        name: 'RpcError',
        code: -32601,
      });
    },
  },
  {
    name: 'progress is told in order, and before the result',
    needs: 'reports',
    async run({ session }) {
      const told: unknown[] = [];
      const onProgress = (params: Params): void => void told.push(params['progress']);
      const result = await session.callTool('count', { to: 5 }, { onProgress });
      expect(textOf(result)).toBe('counted to 5');
      expect(told).toEqual([1, 2, 3, 4, 5]);
    },
  },
  {
    name: 'log messages arrive once a level was chosen',
    needs: 'logs',
    async run({ session, inbox }) {
      inbox.clear();
      await session.setLogLevel('info');
      await session.callTool('log', { level: 'warning', data: 'look here' });
      const { params } = await inbox.next('notifications/message');
      expect(params).toMatchObject({ level: 'warning', data: 'look here' });
    },
  },
  {
    name: 'a call that is aborted ends at once, and the server notices',
    needs: 'notices',
    async run({ session }) {
      const key = newKey();
      const abort = new AbortController();
      const call = session.callTool('wait', { key }, { signal: abort.signal });
      await session.callTool('wait_until_started', { key });
      abort.abort();
      await expect(call).rejects.toMatchObject({ code: 'aborted' });
      const notice = await session.callTool('wait_until_cancelled', { key });
      expect(textOf(notice)).toBe(`${key} cancelled`);
    },
  },
  {
    name: 'a call that takes too long ends in time, and the server notices',
    needs: 'notices',
    async run({ session }) {
      const key = newKey();
      const call = session.callTool('wait', { key }, { timeoutMs: 300 });
      await expect(call).rejects.toMatchObject({ code: 'timeout' });
      const notice = await session.callTool('wait_until_cancelled', { key });
      expect(textOf(notice)).toBe(`${key} cancelled`);
    },
  },
];

const content: readonly ClientFeature[] = [
  {
    name: 'resources are listed across pages',
    async run({ session }) {
      const first = await session.listResources();
      expect(first.resources.map(({ uri }) => uri)).toEqual(['memo://one', 'memo://two']);
      const uris = (await collect(session.resources())).map(({ uri }) => uri);
      const names = ['one', 'two', 'three', 'four', 'five'];
      expect(uris).toEqual(names.map((name) => `memo://${name}`));
    },
  },
  {
    name: 'templates are listed and read',
    async run({ session }) {
      const templates = await collect(session.resourceTemplates());
      expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual(['shelf://{book}']);
      const { contents } = await session.readResource('shelf://prose');
      expect(contents).toEqual([
        { uri: 'shelf://prose', mimeType: 'text/plain', text: 'shelf://prose' },
      ]);
    },
  },
  {
    name: 'a resource that is not there is refused in its own words',
    async run({ session }) {
      await expect(session.readResource('memo://nothing')).rejects.toMatchObject({
        name: 'RpcError',
      });
    },
  },
  {
    name: 'prompts are listed and filled in',
    async run({ session }) {
      const prompts = await collect(session.prompts());
      expect(prompts.map(({ name }) => name)).toEqual(['review']);
      const { messages } = await session.getPrompt('review', { language: 'rust' });
      expect(messages).toMatchObject([
        { role: 'user', content: { type: 'text', text: 'Review this rust.' } },
      ]);
    },
  },
  {
    name: 'arguments of prompts and variables of templates are completed',
    async run({ session }) {
      const prompt = { type: 'ref/prompt', name: 'review' } as const;
      const language = await session.complete(prompt, { name: 'language', value: 'ru' });
      expect(language.completion.values).toEqual(['rust', 'ruby']);
      const template = { type: 'ref/resource', uri: 'shelf://{book}' } as const;
      const book = await session.complete(template, { name: 'book', value: 'p' });
      expect(book.completion.values).toEqual(['prose', 'poems']);
    },
  },
];

const asking: readonly ClientFeature[] = [
  {
    name: 'a form is filled in, with its defaults',
    needs: 'asks',
    async run({ session, asked }) {
      asked.length = 0;
      const result = textOf(await session.callTool('ask_form', {}));
      expect(result).toMatch(/^accept /);
      expect(JSON.parse(result.slice('accept '.length))).toEqual({ name: 'Ada', colour: 'blue' });
      expect(asked).toMatchObject([{ kind: 'elicit', params: { message: 'What is your name?' } }]);
    },
  },
  {
    name: 'a form may be declined',
    needs: 'asks',
    async run({ session, answers }) {
      const usual = answers.elicit;
      answers.elicit = () => ({ action: 'decline' });
      try {
        expect(textOf(await session.callTool('ask_form', {}))).toBe('decline');
      } finally {
        answers.elicit = usual;
      }
    },
  },
  {
    name: 'a page is visited',
    needs: 'asks',
    async run({ session, asked }) {
      asked.length = 0;
      expect(textOf(await session.callTool('ask_visit', {}))).toBe('accept');
      const params = { message: 'Please agree.', url: 'https://example.com/agree' };
      expect(asked).toMatchObject([{ kind: 'elicitUrl', params }]);
    },
  },
  {
    name: 'the model is asked',
    needs: 'asks',
    async run({ session, asked }) {
      asked.length = 0;
      expect(textOf(await session.callTool('ask_model', {}))).toBe('test-model: a thought');
      expect(asked).toMatchObject([{ kind: 'sample', params: { maxTokens: 10 } }]);
    },
  },
  {
    name: 'the roots are told',
    needs: 'asks',
    async run({ session }) {
      expect(textOf(await session.callTool('ask_roots', {}))).toBe('file:///work');
    },
  },
];

const changing: readonly ClientFeature[] = [
  {
    name: 'a change of the tools is told',
    needs: 'tells',
    era: 'legacy',
    async run({ session, inbox }) {
      inbox.clear();
      await session.callTool('announce', {});
      await inbox.next('notifications/tools/list_changed');
    },
  },
  {
    name: 'an update of a resource is told after subscribing, until unsubscribing',
    needs: 'tells',
    async run({ session, inbox }) {
      inbox.clear();
      const announce = (uri: string) => session.callTool('announce', { uri });
      const updates = 'notifications/resources/updated';
      await session.subscribe('memo://one');
      await announce('memo://two');
      await announce('memo://one');
      await inbox.next(updates);
      await session.subscribe('memo://two');
      await session.unsubscribe('memo://one');
      await announce('memo://one');
      await announce('memo://two');
      await inbox.next(updates, ({ params }) => params?.['uri'] === 'memo://two');
      await session.unsubscribe('memo://two');
      const uris = inbox.of(updates).map(({ params }) => params?.['uri']);
      expect(uris).toEqual(['memo://one', 'memo://two']);
    },
  },
  {
    name: 'a subscription is told of what it asked for, until it is closed',
    era: 'modern',
    async run({ session, inbox }) {
      inbox.clear();
      const filter = { toolsListChanged: true, resourceSubscriptions: ['memo://one'] };
      const subscription = await session.listen(filter);
      expect(subscription.honored).toMatchObject(filter);
      await session.callTool('announce', { uri: 'memo://two' });
      await session.callTool('announce', { uri: 'memo://one' });
      await session.callTool('announce', {});
      await inbox.next('notifications/tools/list_changed');
      const told = inbox.of('notifications/resources/updated');
      expect(told.map(({ params }) => params?.['uri'])).toEqual(['memo://one']);
      subscription.close();
      expect(await subscription.closed).toBeUndefined();
    },
  },
];

/** What the servers of both SDKs are seen to do. */
export const clientFeatures: readonly ClientFeature[] = [
  ...calling,
  ...content,
  ...asking,
  ...changing,
];
