// Serves what the official conformance suites expect of a server:
// node test/conformance/server.mjs --port 3000, or --stdio
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createServer, prompts, resources, skills } from 'mcp-kit/server';
import { toolSet } from 'mcp-kit/tools';
import { serveStdio } from 'mcp-kit/transport';
import { serveHttp } from 'mcp-kit/transport/http';
import { askingTools } from './fixture/inputs.mjs';
import { promptDefinitions } from './fixture/prompts.mjs';
import { resourceDefinitions, templateDefinitions } from './fixture/resources.mjs';
import { changeTools, plainTools } from './fixture/tools.mjs';

function createFixture() {
  const tools = toolSet([...plainTools, ...askingTools]);
  const allPrompts = prompts(promptDefinitions);
  for (const one of changeTools(tools, allPrompts)) tools.add(one);
  const all = resources({ resources: resourceDefinitions, templates: templateDefinitions });
  const folder = path.join(import.meta.dirname, 'fixture/skills');
  return createServer({
    name: 'mcp-kit-conformance',
    version: '1.0.0',
    features: [tools, allPrompts, all, skills(folder, { watch: false })],
  });
}

/** Serves the fixture on loopback; port 0 picks a free one. */
export function serveFixture(port = 0) {
  return serveHttp(createFixture(), { port });
}

if (process.argv[1] === import.meta.filename) {
  const { values } = parseArgs({
    options: { port: { type: 'string', default: '0' }, stdio: { type: 'boolean' } },
  });
  if (values.stdio) await serveStdio(createFixture());
  else console.log((await serveFixture(Number(values.port))).url);
}
