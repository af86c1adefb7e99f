import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'vitest';
import { textOf, type Session } from '../interop/hosts.ts';
import type { SdkProgress, SdkV2Client } from '../interop/peers.mjs';
import type { Stage } from './cells.ts';

/** Something a client must find at a server of an SDK, whatever is in between. */
export interface PeerFeature {
  readonly name: string;
  /** Of the client. Absent: both. */
  readonly era?: Session['era'];
  run(session: Session, stage: Stage): Promise<void>;
}

let keys = 0;
const newFile = ({ folder }: Stage): string => path.join(folder, `call-${++keys}`);
const logLevelKey = 'io.modelcontextprotocol/logLevel';

const calling: readonly PeerFeature[] = [
  {
    name: 'the server introduces itself',
    async run({ client }) {
      expect(client.getServerVersion()).toMatchObject({ name: 'peer', version: '3.2.1' });
      expect(client.getInstructions()).toBe('Try echo first.');
      const capabilities = client.getServerCapabilities();
      expect(capabilities).toMatchObject({ tools: {}, resources: {}, prompts: {}, logging: {} });
    },
  },
  {
    name: 'tools are listed with their schemas',
    async run({ client }) {
      const { tools } = await client.listTools();
      const echo = tools.find(({ name }) => name === 'echo');
      expect(echo).toMatchObject({ inputSchema: { type: 'object', required: ['text'] } });
    },
  },
  {
    name: 'a tool is called, in any script',
    async run(session) {
      for (const text of ['hello', '日本 – été 🌍', '\u2028\u0000\uFEFF', '']) {
        expect(textOf(await session.call('echo', { text }))).toBe(text);
      }
    },
  },
  {
    name: 'large texts travel both ways, and larger results back',
    async run(session) {
      const text = '0123456789 é\n'.repeat(70_000);
      expect(textOf(await session.call('echo', { text }))).toBe(text);
      const bytes = 6 * 1024 * 1024;
      expect(textOf(await session.call('fill', { bytes }))).toHaveLength(bytes);
    },
  },
  {
    name: 'calls at once get their own answers',
    async run(session) {
      const texts = Array.from({ length: 8 }, (_, index) => `number ${index}`);
      const results = await Promise.all(texts.map((text) => session.call('echo', { text })));
      expect(results.map(textOf)).toEqual(texts);
    },
  },
  {
    name: 'a structured result arrives beside the text',
    async run(session) {
      const { structuredContent } = await session.call('measure', { text: 'four' });
      expect(structuredContent).toEqual({ characters: 4 });
    },
  },
  {
    name: 'a failure of a tool is a result, and an unknown method an error',
    async run(session) {
      const result = await session.call('fail');
      expect(result.isError).toBe(true);
      expect(textOf(result)).toBe('it did not work');
      const missing = session.client.readResource({ uri: 'memo://nothing' });
      await expect(missing).rejects.toMatchObject({ code: expect.any(Number) });
    },
  },
  {
    name: 'progress is told in order, and before the result',
    async run(session, stage) {
      const file = newFile(stage);
      const seen: SdkProgress[] = [];
      const written: Promise<void>[] = [];
      const onprogress = (progress: SdkProgress): void => {
        seen.push(progress);
        written.push(writeFile(`${file}.${progress.progress}`, ''));
      };
      const result = await session.call('step', { file, times: 3 }, { onprogress });
      await Promise.all(written);
      expect(textOf(result)).toBe('took 3 steps');
      expect(seen).toMatchObject([1, 2, 3].map((progress) => ({ progress, total: 3 })));
    },
  },
  {
    name: 'an aborted call is cancelled at the server, and the next one is served',
    async run(session, stage) {
      const file = newFile(stage);
      const abort = new AbortController();
      const onprogress = (): void => abort.abort('changed my mind');
      const call = session.call('hold', { file }, { signal: abort.signal, onprogress });
      await expect(call).rejects.toThrow(/abort|changed my mind/i);
      await expect.poll(() => existsSync(file)).toBe(true);
      expect(textOf(await session.call('echo', { text: 'next' }))).toBe('next');
    },
  },
];

const logging: readonly PeerFeature[] = [
  {
    name: 'log messages of the level that was set arrive',
    era: 'legacy',
    async run(session) {
      session.inbox.clear();
      await session.client.setLoggingLevel('warning');
      await session.call('log', { level: 'info', data: 'not this' });
      await session.call('log', { level: 'error', data: 'look here' });
      const { params } = await session.inbox.next('notifications/message');
      expect(params).toMatchObject({ level: 'error', data: 'look here' });
    },
  },
  {
    name: 'log messages arrive for the request that asks for them, and for no other',
    era: 'modern',
    async run(session) {
      session.inbox.clear();
      await session.call('log', { level: 'error', data: 'not this' });
      const meta = { [logLevelKey]: 'info' };
      await session.call('log', { level: 'error', data: 'look here' }, { meta });
      const { params } = await session.inbox.next('notifications/message');
      expect(params).toMatchObject({ level: 'error', data: 'look here' });
    },
  },
];

const content: readonly PeerFeature[] = [
  {
    name: 'resources are listed across pages, and read',
    async run({ client }) {
      const uris: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await client.listResources(cursor === undefined ? undefined : { cursor });
        uris.push(...page.resources.map(({ uri }) => uri));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      const names = ['one', 'two', 'three', 'four', 'five'];
      expect(uris).toEqual(names.map((name) => `memo://${name}`));
      const { contents } = await client.readResource({ uri: 'memo://two' });
      expect(contents).toMatchObject([{ uri: 'memo://two', text: 'memo://two' }]);
    },
  },
  {
    name: 'templates are listed and read',
    async run({ client }) {
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates).toMatchObject([{ uriTemplate: 'shelf://{book}' }]);
      const { contents } = await client.readResource({ uri: 'shelf://prose' });
      expect(contents).toMatchObject([{ text: 'shelf://prose' }]);
    },
  },
  {
    name: 'prompts are listed and filled in',
    async run({ client }) {
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }) => name)).toEqual(['review']);
      const { messages } = await client.getPrompt({
        name: 'review',
        arguments: { language: 'rust' },
      });
      expect(messages).toMatchObject([{ role: 'user', content: { text: 'Review this rust.' } }]);
    },
  },
  {
    name: 'arguments of prompts and variables of templates are completed',
    async run({ client }) {
      const language = { name: 'language', value: 'ru' };
      const prompt = await client.complete({
        ref: { type: 'ref/prompt', name: 'review' },
        argument: language,
      });
      expect(prompt.completion.values).toEqual(['rust', 'ruby']);
      const template = await client.complete({
        ref: { type: 'ref/resource', uri: 'shelf://{book}' },
        argument: { name: 'book', value: 'p' },
      });
      expect(template.completion.values).toEqual(['prose', 'poems']);
    },
  },
];

const asking: readonly PeerFeature[] = [
  {
    name: 'a form is filled in',
    async run(session) {
      session.asked.length = 0;
      expect(textOf(await session.call('ask_form'))).toMatch(/^accept .*"name":"Ada"/);
      expect(session.asked).toMatchObject([
        { method: 'elicitation/create', params: { message: 'What is your name?' } },
      ]);
    },
  },
  {
    name: 'a form may be declined or left',
    async run(session) {
      const usual = session.answers['elicitation/create'];
      try {
        for (const action of ['decline', 'cancel']) {
          session.answers['elicitation/create'] = () => ({ action });
          expect(textOf(await session.call('ask_form'))).toBe(action);
        }
      } finally {
        if (usual !== undefined) session.answers['elicitation/create'] = usual;
      }
    },
  },
  {
    name: 'a page is visited',
    async run(session) {
      session.asked.length = 0;
      expect(textOf(await session.call('ask_visit'))).toBe('accept');
      const params = { mode: 'url', message: 'Please agree.', url: 'https://example.com/agree' };
      expect(session.asked).toMatchObject([{ method: 'elicitation/create', params }]);
    },
  },
  {
    name: 'the model is asked',
    async run(session) {
      session.asked.length = 0;
      expect(textOf(await session.call('ask_model'))).toBe('test-model: a thought');
      const params = { maxTokens: 10 };
      expect(session.asked).toMatchObject([{ method: 'sampling/createMessage', params }]);
    },
  },
  {
    name: 'the roots are told',
    async run(session) {
      expect(textOf(await session.call('ask_roots'))).toBe('file:///work');
    },
  },
  {
    name: 'a second question depends on the answer to the first',
    async run(session) {
      session.asked.length = 0;
      const result = textOf(await session.call('ask_in_turn'));
      expect(result).toMatch(/^accept .*"name":"Ada".* accept {"colour":"blue"}$/);
      expect(session.asked.map(({ params }) => params['message'])).toEqual([
        'What is your name?',
        'Your colour, Ada?',
      ]);
    },
  },
];

const changing: readonly PeerFeature[] = [
  {
    name: 'a change of the tools is told',
    era: 'legacy',
    async run(session, { announce }) {
      session.inbox.clear();
      await announce();
      await session.inbox.next('notifications/tools/list_changed');
    },
  },
  {
    name: 'updates of a resource are told to those who subscribed, until they unsubscribe',
    era: 'legacy',
    async run({ client, inbox }, { announce }) {
      inbox.clear();
      await client.subscribeResource({ uri: 'memo://one' });
      await announce('memo://two');
      await announce('memo://one');
      await inbox.next('notifications/resources/updated');
      await client.subscribeResource({ uri: 'memo://two' });
      await client.unsubscribeResource({ uri: 'memo://one' });
      await announce('memo://one');
      await announce('memo://two');
      const isTwo = ({ params }: { params?: object | undefined }): boolean =>
        params !== undefined && 'uri' in params && params.uri === 'memo://two';
      await inbox.next('notifications/resources/updated', isTwo);
      await client.unsubscribeResource({ uri: 'memo://two' });
      const uris = inbox.of('notifications/resources/updated').map(({ params }) => params?.['uri']);
      expect(uris).toEqual(['memo://one', 'memo://two']);
    },
  },
  {
    name: 'a subscription is told of what it asked for, until it is closed',
    era: 'modern',
    async run({ client, inbox }, { announce }) {
      inbox.clear();
      const filter = { toolsListChanged: true, resourceSubscriptions: ['memo://one'] };
      // Only the newer SDK has clients of this era.
      const subscription = await (client as SdkV2Client).listen(filter);
      expect(subscription.honoredFilter).toMatchObject(filter);
      await announce('memo://two');
      await announce('memo://one');
      await inbox.next('notifications/resources/updated');
      await announce();
      await inbox.next('notifications/tools/list_changed');
      const uris = inbox.of('notifications/resources/updated').map(({ params }) => params?.['uri']);
      expect(new Set(uris)).toEqual(new Set(['memo://one']));
      await subscription.close();
      expect(await subscription.closed).toBe('local');
    },
  },
];

/** What the servers of both SDKs are seen to do. */
export const peerFeatures: readonly PeerFeature[] = [
  ...calling,
  ...logging,
  ...content,
  ...asking,
  ...changing,
];
