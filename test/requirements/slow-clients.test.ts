import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { describe, expect, test } from 'vitest';
import { EventReader } from '../support/event-reader.ts';
import type { Call, Message } from '../support/http-client.ts';
import { modern, postHeaders, request, serving, startSession } from '../support/mcp-http.ts';

const mebibyte = 1024 * 1024;

const speak = tool({
  name: 'speak',
  description:
    'Says so many texts of a size, by so many voices at once, and then answers with a text of a size.',
  input: {
    type: 'object',
    properties: {
      texts: { type: 'integer' },
      size: { type: 'integer' },
      voices: { type: 'integer' },
      answer: { type: 'integer' },
    },
    required: ['texts', 'size', 'voices', 'answer'],
  },
  async run({ texts, size, voices, answer }, context) {
    const pad = 'x'.repeat(size);
    const voice = async (): Promise<void> => {
      for (let at = 0; at < texts; at++) await context.log('info', pad);
    };
    await Promise.all(Array.from({ length: voices }, voice));
    return 'y'.repeat(answer);
  },
});

const service = () => createServer({ name: 'slow', version: '1', features: [toolSet([speak])] });

async function begin(url: string, { headers, body }: Call): Promise<IncomingMessage> {
  const outgoing = httpRequest(url, { method: 'POST', headers: { ...headers }, agent: false });
  outgoing.on('error', () => {});
  outgoing.end(JSON.stringify(body));
  const [response] = (await once(outgoing, 'response')) as [IncomingMessage];
  return response;
}

/** Reads an event stream to its end, in chunks, waiting as long as it is told to after so many characters. */
async function read(
  response: IncomingMessage,
  waitMs: (read: number) => number = () => 0,
): Promise<Message[]> {
  const reader = new EventReader();
  const messages: Message[] = [];
  let length = 0;
  for await (const chunk of response) {
    const text = String(chunk);
    length += text.length;
    for (const { data } of reader.push(text)) if (data) messages.push(JSON.parse(data));
    const ms = waitMs(length);
    if (ms > 0) await sleep(ms);
  }
  return messages;
}

const textOf = ({ result }: Message): string =>
  (result?.['content'] as { text: string }[] | undefined)?.[0]?.text ?? '';

describe('a slow client', () => {
  test('gets an answer that is larger than all the events that are kept', async () => {
    await using server = await serving(service());
    const session = await startSession(server.url);
    const args = { texts: 8, size: mebibyte, voices: 1, answer: 20 * mebibyte };
    const body = request(9, 'tools/call', { name: 'speak', arguments: args });
    const headers = { ...postHeaders, ...session.headers };
    const response = await begin(server.url, { headers, body });
    response.pause();
    await sleep(300);
    const messages = await read(response);
    expect(messages).toHaveLength(9);
    expect(textOf(messages.at(-1) ?? {})).toHaveLength(20 * mebibyte);
  });

  test('is not cut off while it keeps reading, however long it takes', async () => {
    const stallMs = 3000;
    await using server = await serving(service(), { pace: { stallMs } });
    const session = await startSession(server.url);
    const args = { texts: 1, size: 10, voices: 1, answer: 12 * mebibyte };
    const body = request(9, 'tools/call', { name: 'speak', arguments: args });
    const headers = { ...postHeaders, ...session.headers };
    const started = performance.now();
    const response = await begin(server.url, { headers, body });
    // As fast as it can where this machine made it late.
    const due = (length: number) => started + (2.5 * stallMs * length) / (12 * mebibyte);
    const messages = await read(response, (length) => due(length) - performance.now());
    expect(performance.now() - started).toBeGreaterThan(2 * stallMs);
    expect(textOf(messages.at(-1) ?? {})).toHaveLength(12 * mebibyte);
  });

  test('of the modern era misses nothing that was awaited, however many speak at once', async () => {
    await using server = await serving(service());
    const args = { texts: 30, size: 100_000, voices: 4, answer: 1 };
    const meta = { 'io.modelcontextprotocol/logLevel': 'info' };
    const call = modern('tools/call', { name: 'speak', arguments: args }, { meta });
    const response = await begin(server.url, call);
    response.pause();
    await sleep(200);
    const messages = await read(response, () => 1);
    expect(messages).toHaveLength(30 * 4 + 1);
  });
});
