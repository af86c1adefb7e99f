import { describe, expect, onTestFinished, test } from 'vitest';
import { connectInMemory } from '#testing';
import { definePrompt, prompts, type PromptSet } from './prompts.ts';
import { defineResource, defineResourceTemplate, resources } from './resources.ts';
import { createServer } from './server.ts';

const names = Array.from({ length: 7 }, (_value, at) => `p${at}`);
const toPrompt = (name: string): ReturnType<typeof definePrompt> =>
  definePrompt({ name, get: () => name });

interface Page {
  readonly prompts: readonly { readonly name: string }[];
  readonly nextCursor?: string;
}

interface Lists {
  readonly set: PromptSet;
  page(cursor?: unknown): Promise<Page>;
}

async function start(pageSize: number): Promise<Lists> {
  const set = prompts(names.map(toPrompt), { pageSize });
  const server = createServer({ name: 'lists', version: '1.0.0', features: [set] });
  const client = connectInMemory(server);
  onTestFinished(() => client.close());
  await client.initialize();
  return {
    set,
    page: async (cursor?: unknown): Promise<Page> => {
      const params = cursor === undefined ? {} : { cursor };
      return (await client.request('prompts/list', params)) as Page;
    },
  };
}

describe('a list', () => {
  test.each([1, 2, 3, 7, 8])('of seven in pages of %i is complete and in order', async (size) => {
    const lists = await start(size);
    const pages: Page[] = [await lists.page()];
    for (let last = pages[0]; last?.nextCursor !== undefined; last = pages.at(-1)) {
      pages.push(await lists.page(last.nextCursor));
    }
    expect(pages.flatMap((page) => page.prompts.map(({ name }) => name))).toEqual(names);
    expect(pages).toHaveLength(Math.ceil(7 / size));
    expect(pages.at(-1)).not.toHaveProperty('nextCursor');
  });

  const at = (text: string): string => Buffer.from(text).toString('base64url');
  test.each([
    ['empty', ''],
    ['null', null],
    ['a number', 3],
    ['made up', 'xyz'],
    ['the start', at('at:0')],
    ['negative', at('at:-3')],
    ['fractional', at('at:1.5')],
    ['between pages', at('at:2')],
    ['after the end', at('at:9')],
    ['huge', at('at:99999999999999999999')],
    ['padded', `${at('at:3')}=`],
  ])('refuses a cursor that is %s', async (_what, cursor) => {
    const lists = await start(3);
    await expect(lists.page(cursor)).rejects.toMatchObject({ code: -32602 });
  });

  test('shows what was added and removed', async () => {
    const lists = await start(1000);
    lists.set.add(toPrompt('new'));
    expect((await lists.page()).prompts.at(-1)).toEqual({ name: 'new' });
    expect(lists.set.remove('new')).toBe(true);
    expect(lists.set.remove('new')).toBe(false);
    expect((await lists.page()).prompts).toHaveLength(7);
  });

  test('refuses a cursor behind which nothing is left', async () => {
    const lists = await start(6);
    const { nextCursor } = await lists.page();
    lists.set.remove('p0');
    await expect(lists.page(nextCursor)).rejects.toMatchObject({ code: -32602 });
  });
});

describe('the lists of resources', () => {
  const set = resources({
    resources: [
      defineResource({ uri: 'note://a', name: 'a', title: 'A', size: 3, read: () => 'a' }),
      defineResource({ uri: 'note://b', name: 'b', read: () => 'b' }),
    ],
    templates: [
      defineResourceTemplate({
        uriTemplate: 'note://{id}/x',
        name: 'x',
        complete: { id: () => [] },
        read: () => 'x',
      }),
      defineResourceTemplate({ uriTemplate: 'note://{id}/y', name: 'y', read: () => 'y' }),
    ],
    pageSize: 1,
  });
  const server = createServer({ name: 'lists', version: '1.0.0', features: [set] });

  test('show what is known, without functions, page by page', async () => {
    const client = connectInMemory(server);
    onTestFinished(() => client.close());
    await client.initialize();
    expect(await client.request('resources/list')).toEqual({
      resources: [{ uri: 'note://a', name: 'a', title: 'A', size: 3 }],
      nextCursor: expect.any(String),
    });
    expect(await client.request('resources/templates/list')).toEqual({
      resourceTemplates: [{ uriTemplate: 'note://{id}/x', name: 'x' }],
      nextCursor: expect.any(String),
    });
  });

  test('of a server without any are empty for clients with a handshake', async () => {
    const bare = createServer({ name: 'lists', version: '1.0.0', features: [] });
    const client = connectInMemory(bare);
    onTestFinished(() => client.close());
    await client.initialize();
    expect(await client.request('resources/list')).toEqual({ resources: [] });
    expect(await client.request('resources/templates/list')).toEqual({ resourceTemplates: [] });
    expect(await client.request('prompts/list')).toEqual({ prompts: [] });
    expect(await client.request('tools/list')).toEqual({ tools: [] });
    await expect(client.requestModern('tools/list')).rejects.toMatchObject({ code: -32601 });
  });
});
