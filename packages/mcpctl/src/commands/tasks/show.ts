import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { print, printJson } from '../../output.ts';
import { prettyJson } from '../../show/item.ts';
import { taskNamed } from '../../tasks/begun.ts';
import { taskPositionals } from '../../tasks/positionals.ts';

export const tasksShow = defineCommand({
  positionals: taskPositionals,
  examples: [
    { command: 'mcpctl tasks show site 3f2a', about: 'How a task is, and what it asks or gave.' },
  ],
  async run({ args: { SERVER: server, TASK: name }, globals, stop }) {
    const id = await taskNamed(server, name);
    await withManager({ globals, stop, server }, async ({ manager }) => {
      const session = await manager.server(server).connect({ signal: stop });
      const task = await session.task(id).get({ signal: stop });
      if (globals.json) printJson(task);
      else print(prettyJson(task));
    });
  },
});
