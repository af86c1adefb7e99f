// A server of SDK v2 that serves a folder of skills over stdio: node sdk-v2-server.mjs FOLDER
import { createRequire } from 'node:module';
import path from 'node:path';

const peer = createRequire(path.resolve(import.meta.dirname, '../../peers/package.json'));
const { McpServer } = peer('@modelcontextprotocol/server');
const { serveStdio } = peer('@modelcontextprotocol/server/stdio');
const { loadSkills } = peer('@modelcontextprotocol/server/ext/skills/node');

const catalog = await loadSkills(process.argv[2]);
serveStdio(() => {
  const server = new McpServer({ name: 'sdk-v2-skills', version: '1.0.0' });
  catalog.attach(server);
  return server;
});
