// Talks to any server from a script: node examples/use-a-server.mjs [command args… | URL]
// Prints what it is, what it offers, and calls the first tool that needs no arguments.
import { connect } from 'mcp-kit';

const [first = process.execPath, ...rest] = process.argv.slice(2);
const args = rest.length > 0 ? rest : ['examples/first-tool.mjs'];
const place = /^https?:/.test(first) ? first : { command: first, args };

const session = await connect(place).catch(({ message, hint }) => {
  console.error(message, hint ?? '');
  process.exit(1);
});
console.log(`${session.server?.name ?? 'a server'} speaks ${session.version}`);

let callable;
for await (const tool of session.tools()) {
  console.log(`  ${tool.name}: ${tool.description ?? ''}`);
  if (!tool.inputSchema.required?.length) callable ??= tool.name;
}
if (callable !== undefined) {
  const { content } = await session.callTool(callable);
  console.log(callable, '→', content.map((block) => block.text ?? block.type).join(' '));
}
await session.close();
