// Serves what the official conformance suites expect of a server:
// node test/conformance/server.mjs --port 3000, or --stdio; with --store PLACE, a folder or redis://…, as one of several processes
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createServer, prompts, resources, skills } from 'mcp-kit/server';
import { toolSet } from 'mcp-kit/tools';
import { openKeyRing } from 'mcp-kit/store';
import { serveStdio } from 'mcp-kit/transport';
import { serveHttp } from 'mcp-kit/transport/http';
import { askingTools } from './fixture/inputs.mjs';
import { promptDefinitions } from './fixture/prompts.mjs';
import { resourceDefinitions, templateDefinitions } from './fixture/resources.mjs';
import { taskTools } from './fixture/tasks.mjs';
import { changeTools, plainTools } from './fixture/tools.mjs';

function createFixture({ requestState, tasks } = {}) {
  const tools = toolSet([...plainTools, ...askingTools, ...taskTools], { tasks });
  const allPrompts = prompts(promptDefinitions);
  for (const one of changeTools(tools, allPrompts)) tools.add(one);
  const all = resources({ resources: resourceDefinitions, templates: templateDefinitions });
  const folder = path.join(import.meta.dirname, 'fixture/skills');
  return createServer({
    name: 'mcp-kit-conformance',
    version: '1.0.0',
    requestState,
    features: [tools, allPrompts, all, skills(folder, { watch: false })],
  });
}

/** Serves the fixture on loopback; port 0 picks a free one. */
export function serveFixture(port = 0) {
  return serveHttp(createFixture(), { port });
}

/** The same, by one of the processes that have a store. */
async function serveShared(port, place) {
  const { operateHttp } = await import('@mcp-kit/host/operate');
  const { openFileStore } = await import('@mcp-kit/store-file');
  const { openRedisStore } = await import('@mcp-kit/store-redis');
  const store = await (place.startsWith('redis') ? openRedisStore(place) : openFileStore(place));
  const keys = await openKeyRing(store);
  const requestState = { keys: keys.keys('request-state') };
  const server = createFixture({ requestState, tasks: { store } });
  return operateHttp(server, { port }, { store, keys });
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      stdio: { type: 'boolean' },
      store: { type: 'string' },
    },
  });
  if (values.stdio) await serveStdio(createFixture());
  else if (values.store) console.log((await serveShared(Number(values.port), values.store)).url);
  else console.log((await serveFixture(Number(values.port))).url);
}
