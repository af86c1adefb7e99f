import { expect } from 'vitest';
import type { FeatureCase } from './features-tools.ts';
import type { Session } from './hosts.ts';

async function allResources({ client }: Session): Promise<string[]> {
  const uris: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listResources(cursor === undefined ? undefined : { cursor });
    uris.push(...page.resources.map((resource) => resource.uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return uris;
}

const reading: readonly FeatureCase[] = [
  {
    name: 'all resources are listed across pages',
    async run(session) {
      expect((await allResources(session)).slice(0, 5)).toEqual([
        'memo://one',
        'memo://two',
        'memo://picture',
        'memo://personal',
        'memo://gone',
      ]);
    },
  },
  {
    name: 'a text is read',
    async run({ client }) {
      const { contents } = await client.readResource({ uri: 'memo://two' });
      expect(contents).toEqual([
        { uri: 'memo://two', mimeType: 'text/plain', text: 'second: ünïcödé 🌍\u2028end' },
      ]);
    },
  },
  {
    name: 'bytes are read',
    async run({ client }) {
      const { contents } = await client.readResource({ uri: 'memo://picture' });
      expect(contents).toEqual([
        { uri: 'memo://picture', mimeType: 'image/png', blob: 'iVBORw==' },
      ]);
    },
  },
  {
    name: 'templates are listed and read',
    async run({ client }) {
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map((template) => template['uriTemplate'])).toEqual([
        'shelf://{shelf}/{book}',
        'path:///{+path}',
      ]);
      const book = await client.readResource({ uri: 'shelf://poetry/a%20b' });
      expect(book.contents).toEqual([
        {
          uri: 'shelf://poetry/a%20b',
          mimeType: 'application/json',
          text: '{"shelf":"poetry","book":"a b"}',
        },
      ]);
      const deep = await client.readResource({ uri: 'path:///a/b/c' });
      expect(deep.contents[0]).toMatchObject({ text: 'at a/b/c' });
    },
  },
  {
    name: 'what does not exist is refused with the code that means so',
    async run({ client, sdk }) {
      // The newer SDK turns the code of older revisions into that of the newest.
      const code = sdk === 'v1' ? -32002 : -32602;
      for (const uri of ['memo://nothing', 'memo://gone']) {
        await expect(client.readResource({ uri })).rejects.toMatchObject({ code });
      }
    },
  },
];

const prompting: readonly FeatureCase[] = [
  {
    name: 'prompts are listed with their arguments',
    async run({ client }) {
      const { prompts } = await client.listPrompts();
      expect(prompts.slice(0, 2)).toMatchObject([
        { name: 'plain', description: 'No arguments.' },
        {
          name: 'review',
          title: 'Review',
          arguments: [
            { name: 'language', required: true },
            { name: 'style', description: 'How to write.' },
          ],
        },
      ]);
    },
  },
  {
    name: 'a prompt is filled in',
    async run({ client }) {
      const prompt = { name: 'review', arguments: { language: 'rust' } };
      expect(await client.getPrompt(prompt)).toMatchObject({
        description: 'Reviews code.',
        messages: [
          { role: 'user', content: { type: 'text', text: 'Review this rust.' } },
          { role: 'assistant', content: { type: 'text', text: 'In plain style.' } },
        ],
      });
    },
  },
  {
    name: 'a prompt may hold a resource',
    async run({ client }) {
      const { messages } = await client.getPrompt({ name: 'with_resource' });
      expect(messages[0]?.content).toMatchObject({
        type: 'resource',
        resource: { uri: 'memo://one', text: 'first' },
      });
    },
  },
  {
    name: 'an unknown prompt and a missing argument are refused',
    async run({ client }) {
      for (const name of ['no_such_prompt', 'review']) {
        await expect(client.getPrompt({ name })).rejects.toMatchObject({ code: -32602 });
      }
    },
  },
  {
    name: 'an argument of a prompt is completed',
    async run({ client }) {
      const { completion } = await client.complete({
        ref: { type: 'ref/prompt', name: 'review' },
        argument: { name: 'language', value: 'ru' },
      });
      expect(completion).toMatchObject({ values: ['rust', 'ruby'], total: 2, hasMore: false });
    },
  },
  {
    name: 'a variable of a template is completed, knowing the others',
    async run({ client }) {
      const { completion } = await client.complete({
        ref: { type: 'ref/resource', uri: 'shelf://{shelf}/{book}' },
        argument: { name: 'book', value: 'prose' },
        context: { arguments: { shelf: 'prose' } },
      });
      expect(completion.values).toEqual(['prose-a', 'prose-b']);
    },
  },
];

export const contentFeatures: readonly FeatureCase[] = [...reading, ...prompting];
