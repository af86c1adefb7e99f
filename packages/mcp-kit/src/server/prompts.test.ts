import { describe, expect, onTestFinished, test } from 'vitest';
import { connectInMemory, type InMemoryClient } from '#testing';
import { definePrompt, prompts, type PromptDefinition } from './prompts.ts';
import { createServer } from './server.ts';

const review = definePrompt({
  name: 'review',
  description: 'Reviews code.',
  arguments: [
    { name: 'language', description: 'Which.', required: true, complete: () => ['go'] },
    { name: 'focus' },
  ],
  get: ({ language, focus = 'everything' }) => `Review ${language} for ${focus}.`,
});
const user = (text: string): object => ({ role: 'user', content: { type: 'text', text } });

async function connected(...definitions: PromptDefinition[]): Promise<InMemoryClient> {
  const features = [prompts(definitions)];
  const client = connectInMemory(createServer({ name: 'p', version: '1.0.0', features }));
  onTestFinished(() => client.close());
  await client.initialize();
  return client;
}

describe('prompts/get', () => {
  test('a text is one message of the user', async () => {
    const client = await connected(review);
    const params = { name: 'review', arguments: { language: 'Go' } };
    expect(await client.request('prompts/get', params)).toEqual({
      description: 'Reviews code.',
      messages: [user('Review Go for everything.')],
    });
  });

  test.each([
    ['messages', [user('a')], { messages: [user('a')] }],
    ['a whole result', { description: 'd', messages: [] }, { description: 'd', messages: [] }],
  ])('%s are given as they are', async (_what, returned, result) => {
    const get = (async () => returned) as PromptDefinition['get'];
    const client = await connected({ name: 'raw', get });
    expect(await client.request('prompts/get', { name: 'raw' })).toEqual(result);
  });

  test.each([
    ['an unknown prompt', { name: 'nothing' }],
    ['no name', {}],
    ['a name that is no text', { name: 5 }],
    ['a missing argument', { name: 'review', arguments: { focus: 'x' } }],
    ['no arguments where one is required', { name: 'review' }],
    ['an argument that is no text', { name: 'review', arguments: { language: 5 } }],
    ['arguments in a list', { name: 'plain', arguments: ['Go'] }],
    ['arguments that are a text', { name: 'plain', arguments: 'Go' }],
  ])('%s is -32602', async (_what, params) => {
    const client = await connected(review, { name: 'plain', get: () => 'plain' });
    await expect(client.request('prompts/get', params)).rejects.toMatchObject({ code: -32602 });
  });

  test('a bug is an internal error that says nothing of itself', async () => {
    const get = (): never => {
      throw new Error('secret');
    };
    const client = await connected({ name: 'broken', get });
    await expect(client.request('prompts/get', { name: 'broken' })).rejects.toMatchObject({
      code: -32603,
      message: 'Internal error',
    });
  });
});

test('prompts/list shows arguments without their functions', async () => {
  const client = await connected(review);
  expect(await client.request('prompts/list')).toEqual({
    prompts: [
      {
        name: 'review',
        description: 'Reviews code.',
        arguments: [{ name: 'language', description: 'Which.', required: true }, { name: 'focus' }],
      },
    ],
  });
});

test('two prompts of one name are refused', () => {
  expect(() => prompts([review, review])).toThrow('prompt review is defined twice');
});
