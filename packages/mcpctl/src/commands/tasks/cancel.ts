import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { printJson, tell } from '../../output.ts';
import { taskNamed } from '../../tasks/begun.ts';
import { taskPositionals } from '../../tasks/positionals.ts';
import { plainField } from '../../terminal/plain-text.ts';

export const tasksCancel = defineCommand({
  positionals: taskPositionals,
  examples: [{ command: 'mcpctl tasks cancel site 3f2a', about: 'It is no longer wanted.' }],
  notes: ['It may come to its end all the same: mcpctl tasks show says what became of it.'],
  async run({ args: { SERVER: server, TASK: name }, globals, stop }) {
    const id = await taskNamed(server, name);
    await withManager({ globals, stop, server }, async ({ manager }) => {
      const session = await manager.server(server).connect({ signal: stop });
      const task = session.task(id);
      await task.cancel({ signal: stop });
      const { status } = await task.get({ signal: stop });
      if (globals.json) printJson({ server, id, status });
      else tell(plainField(`asked to stop; it is ${status}`));
    });
  },
});
