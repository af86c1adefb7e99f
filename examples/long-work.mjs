// A call that takes long, waited for and not waited for: node examples/long-work.mjs
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, createServer, elicit, serve, textOf, tool } from 'mcp-kit';

const properties = { publish: { type: 'boolean', title: 'Publish it' } };

const build = tool({
  name: 'execute_site_build',
  description: 'Builds a site, and publishes it once its user agrees.',
  task: 'auto',
  async run(_args, context) {
    for (const page of [1, 2, 3]) {
      await sleep(300, undefined, { signal: context.signal });
      await context.progress(page, 3, `Built page ${page} of 3.`);
    }
    const message = 'The site is built. Publish it?';
    const { answer } = await context.ask({
      answer: elicit({ message, requestedSchema: { type: 'object', properties } }),
    });
    return answer.content?.publish === true ? 'Published.' : 'Built, not published.';
  },
});

const server = createServer({ name: 'site', version: '1.0.0', tools: [build] });
const { url, close } = await serve(server, { http: 0 });
const agree = ({ message }) => {
  console.log(message);
  return { action: 'accept', content: { publish: true } };
};
const session = await connect(url, { inputs: { elicit: agree } });

// Waited for: the result is there when the call returns, whatever it took.
const heard = new Set();
const onProgress = ({ message }) => heard.add(message);
console.log(textOf(await session.callTool('execute_site_build', {}, { onProgress })));
console.log(`Was told how far it was: ${heard.size > 0}`);

// Not waited for: what is written down is enough to go on later, also for another process.
const { id } = await session.startTask('execute_site_build');
console.log(`Begun: ${typeof id}`);
const { status } = await session.task(id).get();
console.log(`It is ${status}.`);
console.log(textOf(await session.task(id).result()));

await session.close();
await close();
server.close();
