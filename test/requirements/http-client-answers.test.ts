import { describe, expect, test } from 'vitest';
import { event, json, result, scripted, stream, talk } from './http-client-fixture.ts';

// What the HTTP client makes of answers that are not quite as they should be.

describe('an answer', () => {
  test.each([
    ['without a type', undefined],
    ['as text/json', 'text/json'],
    ['as application/vnd.api+json', 'application/vnd.api+json; charset=utf-8'],
  ])('%s is read when it is JSON', async (_what, type) => {
    await using server = await scripted((seen) => {
      seen.response.writeHead(200, type === undefined ? {} : { 'content-type': type });
      seen.response.end(JSON.stringify(result(seen, { fine: true })));
    });
    await using client = await talk(server.url);
    const answer = await client.answer(client.ask('tools/call'));
    expect(answer).toMatchObject({ result: { fine: true } });
  });

  test('without a type and without a body is none', async () => {
    await using server = await scripted(({ response }) => response.writeHead(200).end());
    await using client = await talk(server.url);
    const error = await client.loss(client.ask('tools/call'));
    expect(error.code).toBe('invalid_answer');
    expect(error.message).toBe(
      'tools/call: the server answered HTTP 200 without a body that could be the answer',
    );
  });

  test('without a type that is not JSON is quoted as such', async () => {
    await using server = await scripted(({ response }) => response.writeHead(200).end('hello'));
    await using client = await talk(server.url);
    const error = await client.loss(client.ask('tools/call'));
    expect(error.code).toBe('invalid_answer');
    expect(error.message).toContain('tools/call: the answer cannot be read');
  });
});

describe('an event that cannot be read', () => {
  test('is named when the stream ends without another answer', async () => {
    await using server = await scripted((seen) => {
      stream(seen).end(event('{"jsonrpc":"2.0","id":1,"result":{"a":1}'));
    });
    await using client = await talk(server.url);
    const error = await client.loss(client.ask('tools/call'));
    expect(error.code).toBe('invalid_answer');
    expect(error.message).toContain('after an event that cannot be read');
    expect(error.message).toContain(String.raw`{\"jsonrpc\":\"2.0\",\"id\":1`);
    expect(client.malformed).toHaveLength(1);
  });

  test('is counted, and the answer after it counts', async () => {
    await using server = await scripted((seen) => {
      const response = stream(seen);
      response.write(event('not JSON'));
      response.end(event(result(seen, { fine: true })));
    });
    await using client = await talk(server.url);
    const answer = await client.answer(client.ask('tools/call'));
    expect(answer).toMatchObject({ result: { fine: true } });
    expect(client.malformed).toHaveLength(1);
  });

  test('is not made up for a stream that just ends', async () => {
    await using server = await scripted((seen) => {
      if (seen.method === 'POST') stream(seen).end();
      else json(seen, {});
    });
    await using client = await talk(server.url);
    const error = await client.loss(client.ask('tools/call'));
    expect(error.code).toBe('answer_lost');
  });
});
