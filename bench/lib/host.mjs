// The process in which one candidate serves: node host.mjs <candidate> <http|stdio> <json>. It imports nothing but the
// candidate and the tools, so that what is measured is the candidate.
const [, , name, role, json] = process.argv;
const { default: candidate } = await import(`../candidates/${name}.mjs`);
const { benchTools } = await import('./tools.mjs');
const { tools, ...params } = JSON.parse(json);

const commands = {
  memory() {
    // finalizers and weak references of one collection free more in the next
    for (let i = 0; i < 4; i++) globalThis.gc();
    return process.memoryUsage();
  },
  exit() {
    setTimeout(() => process.exit(0), 10); // a regular exit, so that --cpu-prof writes its file
  },
};
process.on('message', ({ id, command }) => process.send({ id, value: commands[command]() }));

const served = await candidate[role].serve({
  host: '127.0.0.1',
  port: 0,
  ...params,
  tools: benchTools(tools),
});
if (role === 'http') process.send({ listening: served });
