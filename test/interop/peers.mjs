// The other implementations, made ready and loaded: the one place where they meet our types.
import { createRequire } from 'node:module';
import path from 'node:path';
import { installPeers, node22, peersFolder } from '../../scripts/peers.mjs';
import { prepare, root } from '../../scripts/prepare.mjs';

const peer = createRequire(path.join(peersFolder, 'package.json'));

/** Builds what child processes run and installs the peers, each only when needed. */
export async function makeReady() {
  await prepare({ dev: true });
  await installPeers();
}

/** The command that serves the fixture over stdio. */
export const fixtureCommand = {
  command: process.execPath,
  args: [path.join(root, 'test/interop/fixture.mjs')],
};

export function loadSdkV1() {
  const { Client } = peer('@modelcontextprotocol/sdk/client/index.js');
  const { StdioClientTransport } = peer('@modelcontextprotocol/sdk/client/stdio.js');
  const { StreamableHTTPClientTransport } = peer(
    '@modelcontextprotocol/sdk/client/streamableHttp.js',
  );
  const types = peer('@modelcontextprotocol/sdk/types.js');
  const requestSchemas = {
    'elicitation/create': types.ElicitRequestSchema,
    'sampling/createMessage': types.CreateMessageRequestSchema,
    'roots/list': types.ListRootsRequestSchema,
  };
  return {
    Client,
    StdioClientTransport,
    StreamableHTTPClientTransport,
    requestSchemas,
    ResultSchema: types.ResultSchema,
  };
}

export function loadSdkV2() {
  const { Client, StreamableHTTPClientTransport } = peer('@modelcontextprotocol/client');
  const { StdioClientTransport } = peer('@modelcontextprotocol/client/stdio');
  return { Client, StdioClientTransport, StreamableHTTPClientTransport };
}

/** The newer SDK's client for skills, on top of one of its clients. */
export function sdkSkills(client) {
  const { SkillsClient } = peer('@modelcontextprotocol/client/ext/skills');
  return new SkillsClient(client);
}

/** A client of SDK v1 that calls tools as tasks, and gives one answer to every question. */
export async function sdkTasks(url, answer) {
  const { Client, StreamableHTTPClientTransport, requestSchemas } = loadSdkV1();
  const client = new Client(
    { name: 'sdk-v1-tasks', version: '1.0.0' },
    { capabilities: { elicitation: {}, tasks: {} } },
  );
  client.setRequestHandler(requestSchemas['elicitation/create'], () => answer);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  await client.listTools();
  return {
    async callAsTask(name) {
      const types = [];
      let result;
      const params = { name, arguments: {} };
      const options = { task: { ttl: 60_000 } };
      const stream = client.experimental.tasks.callToolStream(params, undefined, options);
      for await (const message of stream) {
        types.push(message.type);
        result = message.result ?? message.error;
      }
      return { types, result };
    },
    close: () => client.close(),
  };
}

/** The command that runs the Inspector without a browser. */
export function inspectorCommand() {
  const folder = path.dirname(peer.resolve('@modelcontextprotocol/inspector/package.json'));
  return [node22(), path.join(folder, 'clients/launcher/build/index.js'), '--cli'];
}

/** The clients of model APIs, and what they call tools with. */
export function loadModelApis() {
  return {
    OpenAI: peer('openai').OpenAI,
    Anthropic: peer('@anthropic-ai/sdk').Anthropic,
    GoogleGenAI: peer('@google/genai').GoogleGenAI,
    MockLanguageModel: peer('ai/test').MockLanguageModelV3,
    convertToOpenAITool: peer('@langchain/core/utils/function_calling').convertToOpenAITool,
  };
}
