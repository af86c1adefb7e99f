// The server that other implementations are tried against: run as a process it speaks over stdio.
import { silentLogger } from 'mcp-kit/internal';
import { createServer, definePrompt, prompts, resources } from 'mcp-kit/server';
import { tool, toolSet } from 'mcp-kit/tools';
import { listenSocket, serveStdio } from 'mcp-kit/transport';
import { serveHttp } from 'mcp-kit/transport/http';
import { fixturePrompts, fixtureResources, fixtureTemplates, memo } from './fixture-content.mjs';
import { waitingRoom } from './fixture-state.mjs';
import { fixtureTools } from './fixture-tools.mjs';

/** A server with every feature, and the handle by which a test lets its waiting calls go. */
export function createFixture({ caching } = {}) {
  const waiting = waitingRoom();
  const change = {
    add(kind, name) {
      if (kind === 'tools') tools.add(tool({ name, description: 'New.', run: () => name }));
      if (kind === 'prompts') promptSet.add(definePrompt({ name, get: () => name }));
      if (kind === 'resources') resourceSet.add(memo(name, 'new'));
    },
    touch: (uri) => resourceSet.updated(uri),
  };
  const tools = toolSet(fixtureTools({ waiting, change }), { pageSize: 7, logger: silentLogger });
  const promptSet = prompts(fixturePrompts, { pageSize: 2 });
  const resourceSet = resources({
    resources: fixtureResources,
    templates: fixtureTemplates,
    pageSize: 2,
  });
  const server = createServer({
    name: 'fixture',
    version: '1.2.3',
    title: 'The fixture',
    instructions: 'Try greet first.',
    features: [tools, promptSet, resourceSet],
    ...(caching === undefined ? {} : { caching }),
  });
  return { server, waiting };
}

/** A server that has tools and nothing else. */
export function createSmallServer() {
  const greet = tool({ name: 'greet', description: 'Greets.', run: () => 'Hello!' });
  return createServer({ name: 'small', version: '1.0.0', features: [toolSet([greet])] });
}

/** Serves a fixture over HTTP on a free port. */
export async function serveFixtureHttp({ caching, ...options } = {}) {
  const fixture = createFixture({ caching });
  const { server } = fixture;
  const listening = await serveHttp(server, { retryMs: 20, ...options });
  const close = async () => {
    server.close();
    await listening.close();
  };
  return { ...fixture, url: listening.url, port: listening.port, close };
}

/** Serves a fixture over a unix socket. */
export async function serveFixtureSocket(path) {
  const fixture = createFixture();
  const listening = await listenSocket(fixture.server, path);
  return { ...fixture, path, close: () => listening.close() };
}

if (process.argv[1] === import.meta.filename) {
  const small = process.argv.includes('--small');
  await serveStdio(small ? createSmallServer() : createFixture().server);
}
