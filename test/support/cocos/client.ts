import type { CocosBackend } from '@mcp-kit/cocos/backend';
import { type CocosServer, openCocosServer } from '@mcp-kit/cocos/tools';
import { openSession } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import type { Envelope } from 'mcp-kit/tools';
import { type HttpListening, serveHttp } from 'mcp-kit/transport/http';
import { expect } from 'vitest';
import { forwarding } from './forwarding.ts';

/** A client of the Cocos tools over HTTP, with every answer checked against its schema. */
export interface CocosClient extends AsyncDisposable {
  ask(name: string, args?: object): Promise<Envelope>;
  /** The data of a call that must succeed. */
  succeed(name: string, args?: object): Promise<Record<string, unknown>>;
  /** What people and models read of an answer. */
  read(name: string, args?: object): Promise<string>;
  /** The failure of a call that must fail. */
  fail(name: string, args?: object): Promise<NonNullable<Envelope['error']>>;
}

/** A server that is used for one project after the other: schemas are compiled once. */
interface Served {
  readonly cocos: CocosServer;
  readonly listening: HttpListening;
  project: CocosBackend;
}

/** Those whose client is gone; they serve the next one, and end with the process. */
const idle: Served[] = [];

async function serve(project: CocosBackend): Promise<Served> {
  const at = idle.findIndex(({ cocos }) => cocos.backend.kind === project.kind);
  const [used] = at === -1 ? [] : idle.splice(at, 1);
  if (used !== undefined) return Object.assign(used, { project });
  const backend = forwarding(project.kind, () => one.project);
  const governance = {
    checkResults: true,
    lint: 'off',
    visible: ['core', 'advanced', 'internal'],
  } as const;
  const cocos = await openCocosServer({ project: backend, governance });
  const one: Served = { cocos, listening: await serveHttp(cocos.server, { port: 0 }), project };
  return one;
}

/** Serves a project, and connects to it. */
export async function connectCocos(project: CocosBackend): Promise<CocosClient> {
  const one = await serve(project);
  // One conversation: in the other era every call stands alone, and names its scene.
  const about = { name: 'test', version: '1', era: 'legacy' } as const;
  const session = await openSession(httpTarget(one.listening.url), about);
  const ask = async (name: string, args: object = {}): Promise<Envelope> => {
    const result = await session.callTool(name, { ...args });
    return result.structuredContent as Envelope;
  };
  return {
    ask,
    async succeed(name, args) {
      const { data, error } = await ask(name, args);
      expect(error).toBeNull();
      return data as Record<string, unknown>;
    },
    async read(name, args = {}) {
      const { content } = await session.callTool(name, { ...args });
      return content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n');
    },
    async fail(name, args) {
      const { data, error } = await ask(name, args);
      expect(data).toBeNull();
      if (error === null) throw new Error(`${name} succeeded`);
      return error;
    },
    async [Symbol.asyncDispose]() {
      await session.close();
      idle.push(one);
    },
  };
}
