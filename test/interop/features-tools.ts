import { expect } from 'vitest';
import { textOf, type Session } from './hosts.ts';
import type { SdkProgress } from './peers.mjs';

/** Something every client must find, whatever its SDK, revision and transport. */
export interface FeatureCase {
  readonly name: string;
  /** Absent: both. */
  readonly era?: Session['era'];
  /** The revision that has words for it; sent to older clients all the same, if they are able. */
  readonly since?: string;
  run(session: Session): Promise<void>;
}

const unicode = 'naïve – 日本語 – 🌍👩‍👩‍👧 – \u2028 \u2029 \u0000 \t "quoted" \\ line\nbreak';

/** Every page of the tools, however the SDK pages. */
export async function allTools(session: Session): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await session.client.listTools(cursor === undefined ? undefined : { cursor });
    names.push(...page.tools.map((tool) => tool.name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}

/**
 * Calls a tool that goes on only when its last progress was seen.
 * Over a pipe both SDKs drop progress that arrives in one read with the answer.
 */
export async function followProgress(session: Session, key: string): Promise<SdkProgress[]> {
  const seen: SdkProgress[] = [];
  const confirmations: Promise<unknown>[] = [];
  const onprogress = (progress: SdkProgress): void => {
    seen.push(progress);
    confirmations.push(session.call('let_go', { key: `${key} ${progress.progress}` }));
  };
  const result = await session.call('wait_often', { key, times: 5 }, { onprogress });
  expect(textOf(result)).toBe('waited 5 times');
  await Promise.all(confirmations);
  return seen;
}

const calling: readonly FeatureCase[] = [
  {
    name: 'the server says who it is, what it can do and how to use it',
    async run({ client }) {
      expect(client.getServerVersion()).toMatchObject({
        name: 'fixture',
        version: '1.2.3',
        title: 'The fixture',
      });
      expect(client.getInstructions()).toBe('Try greet first.');
      expect(client.getServerCapabilities()).toEqual({
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      });
    },
  },
  {
    name: 'all tools are listed, in order and once, across pages',
    async run(session) {
      const names = await allTools(session);
      expect(names.slice(0, 3)).toEqual(['greet', 'greet_later', 'echo']);
      expect(names.length).toBeGreaterThan(14);
      expect(new Set(names).size).toBe(names.length);
    },
  },
  {
    name: 'a cursor nobody gave is refused',
    async run({ client }) {
      await expect(client.listTools({ cursor: 'made up' })).rejects.toMatchObject({ code: -32602 });
    },
  },
  {
    name: 'a tool is listed with its title, schema and annotations',
    async run({ client }) {
      const { tools } = await client.listTools();
      expect(tools[0]).toMatchObject({
        name: 'greet',
        title: 'Greet',
        description: 'Greets at once.',
        inputSchema: { type: 'object', required: ['name'] },
        annotations: { readOnlyHint: true },
      });
    },
  },
  {
    name: 'a tool answers at once',
    async run(session) {
      expect(await session.call('greet', { name: 'Ada' })).toMatchObject({
        content: [{ type: 'text', text: 'Hello, Ada!' }],
      });
    },
  },
  {
    name: 'a tool answers later',
    async run(session) {
      expect(textOf(await session.call('greet_later', { name: 'Ada' }))).toBe(
        'Hello at last, Ada!',
      );
    },
  },
  {
    name: 'structured content matches the schema the client validates it with',
    async run(session) {
      await allTools(session);
      const result = await session.call('measure', { text: 'two words' });
      expect(result.structuredContent).toEqual({ characters: 9, words: ['two', 'words'] });
      expect(JSON.parse(textOf(result) ?? '')).toEqual(result.structuredContent);
    },
  },
  {
    name: 'structured content that is no object is wrapped for those who know only objects',
    async run(session) {
      await allTools(session);
      const squares = [0, 1, 4];
      const { structuredContent } = await session.call('list_squares', { count: 3 });
      expect(structuredContent).toEqual(session.era === 'legacy' ? { result: squares } : squares);
    },
  },
  {
    name: 'every kind of content arrives as it was returned',
    since: '2025-06-18',
    async run(session) {
      const { content } = await session.call('show_all_content');
      expect(content.map((block) => block.type)).toEqual([
        'text',
        'image',
        'audio',
        'resource_link',
        'resource',
      ]);
      expect(content[0]).toMatchObject({ annotations: { audience: ['user'], priority: 0.5 } });
      expect(content[4]).toMatchObject({ resource: { uri: 'memo://one', text: 'first' } });
    },
  },
  {
    name: 'text of every script and control character survives both ways',
    async run(session) {
      expect(textOf(await session.call('echo', { text: unicode }))).toBe(unicode);
    },
  },
  {
    name: 'a megabyte travels both ways',
    async run(session) {
      const megabyte = 'é'.repeat(512 * 1024);
      expect(textOf(await session.call('fill', { bytes: 1024 * 1024 }))).toHaveLength(1024 * 1024);
      expect(textOf(await session.call('echo', { text: megabyte }))).toBe(megabyte);
    },
  },
  {
    name: 'a hundred calls at once each get their own answer',
    async run(session) {
      const names = Array.from({ length: 100 }, (_, index) => `caller ${index}`);
      const results = await Promise.all(names.map((name) => session.call('greet_later', { name })));
      expect(results.map(textOf)).toEqual(names.map((name) => `Hello at last, ${name}!`));
    },
  },
];

const failing: readonly FeatureCase[] = [
  {
    name: 'a failure is a result that says what to do next',
    async run(session) {
      expect(await session.call('refuse')).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'E_NOT_FOUND: No such thing. Try greet.' }],
      });
    },
  },
  {
    name: 'a bug is a failure that tells nothing of its cause',
    async run(session) {
      const result = await session.call('crash');
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(/^E_INTERNAL/);
      expect(JSON.stringify(result)).not.toContain('secret');
    },
  },
  {
    name: 'wrong arguments are a failure the model can correct',
    async run(session) {
      const result = await session.call('greet', { name: 7 });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toMatch(/^E_INVALID_ARGUMENT/);
    },
  },
  {
    name: 'an unknown tool is a protocol error',
    async run(session) {
      await expect(session.call('no_such_tool')).rejects.toMatchObject({ code: -32602 });
    },
  },
];

const talking: readonly FeatureCase[] = [
  {
    name: 'progress arrives in order and before the answer',
    async run(session) {
      const seen = await followProgress(session, `progress ${Math.random()}`);
      expect(seen).toEqual(
        [1, 2, 3, 4, 5].map((step) => ({ progress: step, total: 5, message: `step ${step}` })),
      );
    },
  },
  {
    name: 'nobody who did not ask hears of progress',
    async run(session) {
      session.inbox.clear();
      await session.call('count', { to: 3 });
      expect(session.inbox.of('notifications/progress')).toEqual([]);
    },
  },
  {
    name: 'an aborted call is cancelled on the server, and the next one is served',
    async run(session) {
      const key = `abort ${Math.random()}`;
      const abort = new AbortController();
      const onprogress = () => abort.abort('changed my mind');
      const call = session.call('wait', { key }, { signal: abort.signal, onprogress });
      await expect(call).rejects.toThrow(/abort|changed my mind/i);
      expect(textOf(await session.call('wait_for_cancellation', { key }))).toBe(
        `${key} was cancelled`,
      );
    },
  },
  {
    name: 'log messages of the level that was set and above arrive',
    era: 'legacy',
    async run(session) {
      session.inbox.clear();
      await session.client.setLoggingLevel('info');
      await session.call('log_each_level');
      await session.inbox.next(
        'notifications/message',
        ({ params }) => params?.['level'] === 'error',
      );
      expect(session.inbox.of('notifications/message').map(({ params }) => params)).toEqual([
        { level: 'info', data: 'plain' },
        { level: 'error', logger: 'fixture', data: ['grave'] },
      ]);
    },
  },
  {
    name: 'log messages arrive for the request that asks for them, and for no other',
    era: 'modern',
    async run(session) {
      session.inbox.clear();
      await session.call('log_each_level');
      expect(session.inbox.of('notifications/message')).toEqual([]);
      const meta = { 'io.modelcontextprotocol/logLevel': 'debug' };
      await session.call('log_each_level', {}, { meta });
      await session.inbox.next(
        'notifications/message',
        ({ params }) => params?.['level'] === 'error',
      );
      const levels = session.inbox
        .of('notifications/message')
        .map(({ params }) => params?.['level']);
      expect(levels).toEqual(['debug', 'info', 'error']);
    },
  },
  {
    name: 'a ping is answered',
    era: 'legacy',
    async run({ client }) {
      await client.ping();
    },
  },
  {
    name: 'news that roots have changed are taken without complaint',
    era: 'legacy',
    async run(session) {
      await session.client.sendRootsListChanged();
      expect(textOf(await session.call('greet', { name: 'Ada' }))).toBe('Hello, Ada!');
    },
  },
];

export const toolFeatures: readonly FeatureCase[] = [...calling, ...failing, ...talking];
