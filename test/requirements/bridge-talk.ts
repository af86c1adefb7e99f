import { createBridge } from 'mcp-kit/bridge';
import { metaKeys, modernVersion } from 'mcp-kit/protocol';
import type { Message } from '../support/http-client.ts';
import { answerTo, openPipe, type Pipe } from '../support/pipe.ts';
import { newer, older, script, type Script, type Serve } from './client-script.ts';

type Methods = Readonly<Record<string, Serve>>;

/** A raw client of a bridge to a server that a test has written by hand. */
export interface Talk extends AsyncDisposable {
  readonly pipe: Pipe;
  readonly server: Script;
  /** Sends a request, and gives back its id. */
  begin(method: string, params?: object): number;
  /** Asks, and gives back the answer; what came before it is in `told`. */
  ask(method: string, params?: object): Promise<Message>;
  readonly told: Message[];
}

/** What tools here answer. */
export const text: object = { content: [{ type: 'text', text: 'done' }] };
export const clientInfo: object = { name: 'host', version: '1' };
export const capabilities: object = {
  elicitation: { form: {}, url: {} },
  roots: {},
  extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html'] } },
};
/** What every request of a modern client says of it. */
export const envelope: Readonly<Record<string, unknown>> = {
  [metaKeys.protocolVersion]: modernVersion,
  [metaKeys.clientCapabilities]: capabilities,
  [metaKeys.clientInfo]: clientInfo,
};

function talk(server: Script, era: 'legacy' | 'modern', meta?: object): Talk {
  const bridge = createBridge(server.target, { era });
  const pipe = openPipe(bridge);
  const told: Message[] = [];
  let lastId = 0;
  const begin = (method: string, params: Record<string, unknown> = {}): number => {
    lastId += 1;
    const _meta = { ...meta, ...(params['_meta'] as object | undefined) };
    pipe.send({ jsonrpc: '2.0', id: lastId, method, params: { ...params, _meta } });
    return lastId;
  };
  return {
    pipe,
    server,
    told,
    begin,
    async ask(method, params) {
      const id = begin(method, { ...params });
      return answerTo(pipe, id, told);
    },
    async [Symbol.asyncDispose]() {
      await pipe[Symbol.asyncDispose]();
      await bridge.close();
    },
  };
}

/** A legacy client whose handshake is done, at a modern server. */
export async function oldToNew(
  serve: Methods = {},
): Promise<Talk & { readonly greeting: Message }> {
  const open = talk(script({ ...newer, ...serve }), 'modern');
  const greeting = await open.ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities,
    clientInfo,
  });
  open.pipe.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return Object.assign(open, { greeting });
}

/** A modern client, at a legacy server. */
export const newToOld = (serve: Methods = {}): Talk =>
  talk(script({ ...older, ...serve }), 'legacy', envelope);

/** What hosts and servers of MCP Apps say. */
export const extensions: object = { 'io.modelcontextprotocol/ui': {} };
