import { RpcError } from 'mcp-kit/internal';
import type { Options } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { showOutcome } from '../../show/outcome.ts';
import { progressOf } from '../../show/progress.ts';
import { forgetTasks, taskNamed } from '../../tasks/begun.ts';
import { taskPositionals } from '../../tasks/positionals.ts';

const options = {
  output: {
    type: 'string',
    value: 'DIR',
    help: 'Save images, sounds and files of the result here.',
  },
} as const satisfies Options;

export const tasksWait = defineCommand({
  positionals: taskPositionals,
  options,
  examples: [
    { command: 'mcpctl tasks wait site 3f2a', about: 'The result, as soon as it is there.' },
  ],
  notes: [
    'Who stops waiting leaves the task as it is. A result that was shown can be fetched again by its whole id.',
  ],
  async run({ args: { SERVER: server, TASK: name }, values, globals, stop }) {
    const startedMs = performance.now();
    const id = await taskNamed(server, name);
    return withManager({ globals, stop, server }, async ({ manager }) => {
      const session = await manager.server(server).connect({ signal: stop });
      const progress = progressOf(globals);
      const limits = { signal: stop, maxTotalMs: Infinity, onProgress: progress.report };
      const result = await session
        .task(id)
        .result(limits)
        .catch(async (error: unknown) => {
          // What has failed has been told, and what is unknown is gone.
          if (error instanceof RpcError) await forgetTasks(new Set([id]));
          throw error;
        })
        .finally(() => progress.end());
      await forgetTasks(new Set([id]));
      return showOutcome(result, { globals, server, output: values.output, startedMs });
    });
  },
});
