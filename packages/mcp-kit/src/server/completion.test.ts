import { describe, expect, onTestFinished, test } from 'vitest';
import { connectInMemory, type InMemoryClient } from '#testing';
import { definePrompt, prompts } from './prompts.ts';
import { defineResourceTemplate, resources } from './resources.ts';
import { createServer } from './server.ts';

const numbers = Array.from({ length: 150 }, (_value, at) => `n${at}`);

async function connected(): Promise<InMemoryClient> {
  const prompt = definePrompt({
    name: 'p',
    arguments: [
      { name: 'number', complete: (value) => numbers.filter((text) => text.startsWith(value)) },
      { name: 'city', complete: async (value, { country = '?' }) => [`${value} in ${country}`] },
      { name: 'free' },
    ],
    get: () => 'p',
  });
  const template = defineResourceTemplate({
    uriTemplate: 'note://{user}/{note}',
    name: 't',
    complete: { user: (value) => [`${value}!`] },
    read: () => 't',
  });
  const features = [prompts([prompt]), resources({ templates: [template] })];
  const client = connectInMemory(createServer({ name: 'c', version: '1.0.0', features }));
  onTestFinished(() => client.close());
  await client.initialize();
  return client;
}

const ofPrompt = { type: 'ref/prompt', name: 'p' };
const ofTemplate = { type: 'ref/resource', uri: 'note://{user}/{note}' };

describe('completion/complete', () => {
  test.each([
    [
      'an argument of a prompt',
      ofPrompt,
      { name: 'number', value: 'n14' },
      ['n14', ...numbers.slice(140)],
    ],
    ['one that cannot be completed', ofPrompt, { name: 'free', value: 'x' }, []],
    ['a variable of a template', ofTemplate, { name: 'user', value: 'ada' }, ['ada!']],
    ['one that cannot be completed', ofTemplate, { name: 'note', value: 'x' }, []],
    ['one named like a method of every object', ofTemplate, { name: 'toString', value: 'x' }, []],
    ['one named like the maker of objects', ofTemplate, { name: 'constructor', value: 'x' }, []],
  ])('%s', async (...[, ref, argument, expected]) => {
    const client = await connected();
    const result = await client.request('completion/complete', { ref, argument });
    expect(result).toMatchObject({ completion: { values: expected, hasMore: false } });
  });

  test('gives at most a hundred values, and says how many there are', async () => {
    const client = await connected();
    const argument = { name: 'number', value: '' };
    expect(await client.request('completion/complete', { ref: ofPrompt, argument })).toEqual({
      completion: { values: numbers.slice(0, 100), total: 150, hasMore: true },
    });
  });

  test('knows what was filled in before, as far as it is text', async () => {
    const client = await connected();
    const argument = { name: 'city', value: 'Par' };
    const context = { arguments: { country: 'FR', other: 5 } };
    expect(
      await client.request('completion/complete', { ref: ofPrompt, argument, context }),
    ).toEqual({ completion: { values: ['Par in FR'], total: 1, hasMore: false } });
  });

  const argument = { name: 'number', value: '' };
  test.each([
    ['no reference', { argument }],
    ['an unknown kind of reference', { ref: { type: 'ref/tool', name: 'p' }, argument }],
    ['a prompt without name', { ref: { type: 'ref/prompt' }, argument }],
    ['an unknown prompt', { ref: { type: 'ref/prompt', name: 'q' }, argument }],
    ['an unknown template', { ref: { type: 'ref/resource', uri: 'a:b' }, argument }],
    ['an unknown argument', { ref: ofPrompt, argument: { name: 'x', value: '' } }],
    ['no argument', { ref: ofPrompt }],
    ['an argument without value', { ref: ofPrompt, argument: { name: 'number' } }],
  ])('%s is -32602', async (_what, params) => {
    const client = await connected();
    await expect(client.request('completion/complete', params)).rejects.toMatchObject({
      code: -32602,
    });
  });

  test('is neither offered nor known where nothing can be completed', async () => {
    const server = createServer({ name: 'c', version: '1.0.0', features: [] });
    expect(server.capabilities).toEqual({ logging: {} });
    const client = connectInMemory(server);
    onTestFinished(() => client.close());
    await client.initialize();
    await expect(client.request('completion/complete', {})).rejects.toMatchObject({ code: -32601 });
  });
});
