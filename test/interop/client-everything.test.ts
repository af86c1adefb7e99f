import type { Params } from 'mcp-kit/jsonrpc';
import type { Target } from 'mcp-kit/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands, startServer, type ProgramName, type RunningServer } from './client-servers.ts';
import { collect, converse, textOf, type Conversation } from './client-session.ts';
import { makeReady } from './peers.mjs';
import { readyMs } from './try-features.ts';

beforeAll(makeReady, readyMs);

interface Feature {
  readonly name: string;
  run(conversation: Conversation): Promise<void>;
}

const uri = 'demo://resource/dynamic/text/1';

const calling: readonly Feature[] = [
  {
    name: 'the server introduces itself',
    async run({ session }) {
      expect(session).toMatchObject({ era: 'legacy', version: '2025-11-25' });
      expect(session.server?.name).toBe('mcp-servers/everything');
      expect(session.instructions).toContain('Everything');
    },
  },
  {
    name: 'it answers a ping',
    async run({ session }) {
      await session.ping();
    },
  },
  {
    name: 'tools are listed, those for clients with abilities too',
    async run({ session }) {
      const names = (await collect(session.tools())).map(({ name }) => name);
      expect(names).toEqual(
        expect.arrayContaining(['echo', 'get-sum', 'trigger-sampling-request', 'get-roots-list']),
      );
    },
  },
  {
    name: 'a tool is called',
    async run({ session }) {
      const sum = await session.callTool('get-sum', { a: 2, b: 40 });
      expect(textOf(sum)).toBe('The sum of 2 and 40 is 42.');
    },
  },
  {
    name: 'a picture and a structured result arrive',
    async run({ session }) {
      const { content } = await session.callTool('get-tiny-image', {});
      expect(content).toContainEqual(expect.objectContaining({ type: 'image' }));
      const weather = await session.callTool('get-structured-content', { location: 'Chicago' });
      expect(weather.structuredContent).toMatchObject({ temperature: 36 });
    },
  },
  {
    name: 'progress is told',
    async run({ session }) {
      const told: Params[] = [];
      const work = { duration: 0.05, steps: 3 };
      const onProgress = (progress: Params): void => void told.push(progress);
      await session.callTool('trigger-long-running-operation', work, { onProgress });
      expect(told).toMatchObject([1, 2, 3].map((progress) => ({ progress, total: 3 })));
    },
  },
  {
    name: 'a call that is aborted ends at once, and the session goes on',
    async run({ session }) {
      const abort = new AbortController();
      const work = { duration: 1, steps: 20 };
      const onProgress = (): void => abort.abort();
      const options = { signal: abort.signal, onProgress };
      const call = session.callTool('trigger-long-running-operation', work, options);
      await expect(call).rejects.toMatchObject({ code: 'aborted' });
      expect(textOf(await session.callTool('echo', { message: 'still here' }))).toContain(
        'still here',
      );
    },
  },
];

const content: readonly Feature[] = [
  {
    name: 'resources and templates are listed and read',
    async run({ session }) {
      const resources = await collect(session.resources());
      expect(resources.length).toBeGreaterThan(3);
      const templates = await collect(session.resourceTemplates());
      expect(templates.map(({ uriTemplate }) => uriTemplate)).toContain(
        'demo://resource/dynamic/text/{resourceId}',
      );
      const { contents } = await session.readResource(uri);
      expect(contents).toMatchObject([{ uri, mimeType: 'text/plain' }]);
    },
  },
  {
    name: 'an update is told after subscribing',
    async run({ session, inbox }) {
      inbox.clear();
      await session.subscribe(uri);
      await session.callTool('toggle-subscriber-updates', {});
      const { params } = await inbox.next('notifications/resources/updated');
      expect(params).toMatchObject({ uri });
      await session.callTool('toggle-subscriber-updates', {});
      await session.unsubscribe(uri);
    },
  },
  {
    name: 'prompts are listed and filled in',
    async run({ session }) {
      const names = (await collect(session.prompts())).map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['simple-prompt', 'args-prompt']));
      const { messages } = await session.getPrompt('args-prompt', { city: 'Oslo' });
      expect(messages).toMatchObject([{ content: { text: "What's weather in Oslo?" } }]);
    },
  },
  {
    name: 'an argument is completed, knowing the others',
    async run({ session }) {
      const prompt = { type: 'ref/prompt', name: 'completable-prompt' } as const;
      const argument = { name: 'name', value: 'E' };
      const context = { arguments: { department: 'Sales' } };
      const { completion } = await session.complete(prompt, argument, context);
      expect(completion.values).toEqual(['Eve']);
    },
  },
  {
    name: 'log messages arrive at the level that was chosen',
    async run({ session, inbox }) {
      inbox.clear();
      await session.setLogLevel('debug');
      await session.callTool('toggle-simulated-logging', {});
      await inbox.next('notifications/message');
      await session.callTool('toggle-simulated-logging', {});
    },
  },
];

/** The roots are asked for some time after the session was opened, whatever else happens. */
const besidesRoots = (asked: Conversation['asked']): Conversation['asked'] =>
  asked.filter(({ kind }) => kind !== 'roots');

const asking: readonly Feature[] = [
  {
    name: 'a form is filled in, with its defaults',
    async run({ session, asked }) {
      asked.length = 0;
      const text = textOf(await session.callTool('trigger-elicitation-request', {}));
      expect(text).toContain('- Name: Ada');
      expect(text).toContain('- Favorite Integer: 42');
      expect(besidesRoots(asked)).toMatchObject([{ kind: 'elicit' }]);
    },
  },
  {
    name: 'a page is visited',
    async run({ session, asked }) {
      asked.length = 0;
      const url = 'https://example.com/agree';
      const text = textOf(await session.callTool('trigger-url-elicitation', { url }));
      expect(text).toContain('User completed');
      expect(besidesRoots(asked)).toMatchObject([{ kind: 'elicitUrl', params: { url } }]);
    },
  },
  {
    name: 'a page that a call needs is visited first, and the call made again',
    async run({ session, asked }) {
      asked.length = 0;
      const url = 'https://example.com/later';
      const page = { url, errorPath: true };
      // This server does not say when the visit is over: so long is waited for that.
      const options = { timeoutMs: 1000 };
      const text = textOf(await session.callTool('trigger-url-elicitation', page, options));
      expect(text).toContain('User completed');
      expect(besidesRoots(asked)).toMatchObject([
        { kind: 'elicitUrl', params: { url: 'https://modelcontextprotocol.io' } },
        { kind: 'elicitUrl', params: { url } },
      ]);
    },
  },
  {
    name: 'the model is asked',
    async run({ session, asked }) {
      asked.length = 0;
      const question = { prompt: 'Say something', maxTokens: 7 };
      const text = textOf(await session.callTool('trigger-sampling-request', question));
      expect(text).toContain('a thought');
      expect(besidesRoots(asked)).toMatchObject([{ kind: 'sample', params: { maxTokens: 7 } }]);
    },
  },
  {
    name: 'the roots are told',
    async run({ session }) {
      const text = textOf(await session.callTool('get-roots-list', {}));
      expect(text).toContain('file:///work');
    },
  },
];

interface Place extends AsyncDisposable {
  readonly target: Target;
}

const served = (name: ProgramName) => (): Promise<RunningServer> => startServer(name);
const places: Readonly<Record<string, () => Promise<Place>>> = {
  stdio: async () => ({
    target: commands['server-everything'](),
    [Symbol.asyncDispose]: async () => {},
  }),
  'streamable HTTP': served('server-everything'),
  'two endpoints': served('server-everything with two endpoints'),
};

describe.each(Object.keys(places))('With server-everything over %s:', (name) => {
  let place: Place | undefined;
  let conversation: Conversation | undefined;

  beforeAll(async () => {
    place = await places[name]?.();
    if (place !== undefined) conversation = await converse(place.target);
  });
  afterAll(async () => {
    await conversation?.[Symbol.asyncDispose]();
    await place?.[Symbol.asyncDispose]();
  });

  const features = [...calling, ...content, ...asking];
  test.each(features.map(({ name: title, run }) => [title, run] as const))(
    '%s',
    async (_title, run) => {
      if (conversation === undefined) throw new Error('not connected');
      await run(conversation);
      expect(conversation.session.stats).toMatchObject({ malformed: 0, handshakes: 1 });
    },
  );
});
