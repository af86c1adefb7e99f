import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { adHocEntry, createManager, modelTools, type Manager } from '@mcp-kit/host';
import { textOf } from 'mcp-kit/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/child-process.ts';
import { loadModelApis, makeReady, type ModelApis } from './peers.mjs';

// Tools of servers in the real clients of model APIs; a server on this machine stands for the model.

let apis: ModelApis;
let manager: Manager;
/** What the model was asked, and what it says next. */
const asked: Readonly<Record<string, unknown>>[] = [];
let says: readonly object[] = [];
let baseURL = '';

const model = createServer((request, response) => {
  void json(request).then((body) => {
    asked.push(body as Readonly<Record<string, unknown>>);
    const [next = {}, ...rest] = says;
    says = rest;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(next));
  });
});

/** A name that no model API takes. */
const server = 'my numbers/äöü';
let name = '';
const args = { a: 2, b: 3 };

beforeAll(async () => {
  await makeReady();
  apis = loadModelApis();
  model.listen(0, '127.0.0.1');
  await once(model, 'listening');
  baseURL = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
  const first = [path.join(root, 'examples/first-tool.mjs')];
  const entry = adHocEntry({ command: process.execPath, args: first }, server);
  manager = createManager({ entries: [entry], trust: 'trusted', toolCache: false });
  const { tools } = await manager.tools({ waitMs: 60_000 });
  name = tools[0]?.qualifiedName ?? '';
});
afterAll(async () => {
  await manager.close();
  model.closeAllConnections();
  model.close();
});

async function listed() {
  return (await manager.tools({ waitMs: 60_000 })).tools;
}

const recipe = async (file: string): Promise<(...given: unknown[]) => Promise<unknown>> => {
  const { ask } = await import(path.join(root, 'peers/recipes', file));
  return ask as (...given: unknown[]) => Promise<unknown>;
};

test('OpenAI: responses and chat completions take them, and the name leads back', async () => {
  const openai = new apis.OpenAI({ apiKey: 'none', baseURL });
  says = [
    { output: [{ type: 'function_call', name, call_id: '1', arguments: JSON.stringify(args) }] },
    { choices: [{ message: { tool_calls: [{ type: 'function', function: { name } }] } }] },
  ];
  const sent = modelTools(await listed(), 'openai');
  const answer = (await openai.responses.create({ model: 'm', input: 'x', tools: sent })) as {
    readonly output: readonly { readonly name: string; readonly arguments: string }[];
  };
  expect(asked.at(-1)?.['tools']).toEqual(sent);
  const [wanted] = answer.output;
  const result = await manager.callTool(wanted?.name ?? '', JSON.parse(wanted?.arguments ?? ''));
  expect(textOf(result)).toBe('2 + 3 = 5');
  const chat = modelTools(await listed(), 'openai-chat');
  await openai.chat.completions.create({ model: 'm', messages: [], tools: chat });
  expect(asked.at(-1)?.['tools']).toEqual(chat);
});

test('Anthropic: the loop of the guide', async () => {
  const content = [{ type: 'tool_use', id: 't', name, input: args }];
  says = [
    { role: 'assistant', stop_reason: 'tool_use', content },
    { role: 'assistant', stop_reason: 'end_turn', content: [{ type: 'text', text: 'five' }] },
  ];
  const anthropic = new apis.Anthropic({ apiKey: 'none', baseURL });
  const ask = await recipe('anthropic.mjs');
  expect(await ask(manager, anthropic, { model: 'm', prompt: 'add' })).toEqual([
    { type: 'text', text: 'five' },
  ]);
  const result = { type: 'tool_result', tool_use_id: 't', content: '2 + 3 = 5', is_error: false };
  expect(asked.at(-1)?.['messages']).toContainEqual({ role: 'user', content: [result] });
  expect(asked.at(-1)?.['tools']).toEqual(modelTools(await listed(), 'anthropic'));
});

test('Gemini: the client sends the declarations as they are', async () => {
  const google = new apis.GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: baseURL } });
  const sent = modelTools(await listed(), 'gemini');
  says = [{ candidates: [] }];
  await google.models.generateContent({ model: 'm', contents: 'x', config: { tools: sent } });
  expect(asked.at(-1)?.['tools']).toEqual(sent);
});

test('AI SDK: the loop of the guide', async () => {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const call = { type: 'tool-call', toolCallId: '1', toolName: name, input: JSON.stringify(args) };
  const turns = [
    { content: [call], finishReason: { unified: 'tool-calls' }, usage, warnings: [] },
    {
      content: [{ type: 'text', text: 'five' }],
      finishReason: { unified: 'stop' },
      usage,
      warnings: [],
    },
  ];
  const mock = new apis.MockLanguageModel({ doGenerate: async () => turns.shift() });
  const ask = await recipe('ai-sdk.mjs');
  expect(await ask(manager, mock, 'add')).toMatchObject({ text: 'five' });
  const [first, second] = mock.doGenerateCalls;
  expect(first?.tools).toMatchObject([{ name, inputSchema: { type: 'object' } }]);
  expect(JSON.stringify(second)).toContain('2 + 3 = 5');
});

test('LangChain: they are what it knows as tools', async () => {
  const sent = modelTools(await listed(), 'langchain');
  const [chat] = modelTools(await listed(), 'openai-chat');
  expect(sent.map((tool) => apis.convertToOpenAITool(tool))).toMatchObject([chat]);
});
