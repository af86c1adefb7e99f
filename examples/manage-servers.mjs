// Shows the servers of a project and their tools: node examples/manage-servers.mjs [FOLDER]
// A server that its user has not approved is not started: mcpctl trust approve NAME approves it.
import { createManager, loadConfig } from '@mcp-kit/host';

const [root = '.'] = process.argv.slice(2);
const { entries, client, errors } = await loadConfig({ root });
for (const { message } of errors) console.error(message);

const manager = createManager({ entries, client, root, name: 'manage-servers', version: '1.0.0' });
const { tools } = await manager.tools({ waitMs: 10_000 });
for (const { name, state, error } of manager.servers()) {
  console.log(`${name} is ${state}${error ? `: ${error.message}` : ''}`);
  if (error?.hint !== undefined) console.log(`  ${error.hint}`);
  for (const { server, tool } of tools) {
    if (server === name) console.log(`  ${tool.name}: ${tool.description ?? ''}`);
  }
}
await manager.close();
