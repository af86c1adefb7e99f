import { describeError, RpcError } from 'mcp-kit/internal';
import { rpcErrors } from 'mcp-kit/jsonrpc';
import type { Manager } from '@mcp-kit/host';
import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { namedTable } from '../../show/item.ts';
import { begunTasks, forgetTasks, type BegunTask } from '../../tasks/begun.ts';
import { plainField } from '../../terminal/plain-text.ts';

/** How long one server is waited for. */
const waitMs = 10_000;

export const tasksList = defineCommand({
  positionals: [
    { name: 'SERVER', help: 'Only those of this server; all, unless given.', optional: true },
  ],
  examples: [
    { command: 'mcpctl tasks list', about: 'What was begun with --detach, and how it is.' },
  ],
  notes: [
    'Servers do not list tasks: these are the ones that were begun here. Those that have expired are forgotten.',
  ],
  async run({ args, globals, stop }) {
    const startedMs = performance.now();
    const { SERVER: server } = args;
    const all = await begunTasks();
    const begun = server === undefined ? all : all.filter((task) => task.server === server);
    const tasks =
      begun.length === 0
        ? []
        : await withManager({ globals, stop, server }, async ({ manager }) =>
            Promise.all(begun.map((task) => lookAt(manager, task, stop))),
          );
    const gone = tasks.filter(({ status }) => status === 'unknown').map(({ id }) => id);
    await forgetTasks(new Set(gone));
    if (globals.json) printJson({ tasks });
    else if (tasks.length > 0) {
      const rows = tasks.map(({ id, server: of, tool, status, message = '' }) =>
        [id.slice(0, 12), of, tool, status, message].map(plainField),
      );
      print(namedTable(['task', 'server', 'tool', 'status', ''], rows, globals));
    }
    sumUp(globals, count(tasks.length, 'task'), startedMs);
  },
});

interface SeenTask extends BegunTask {
  readonly status: string;
  readonly message?: string | undefined;
}

/** How a task is; a server that cannot be asked keeps nobody from seeing the others. */
async function lookAt(manager: Manager, task: BegunTask, stop: AbortSignal): Promise<SeenTask> {
  const signal = AbortSignal.any([stop, AbortSignal.timeout(waitMs)]);
  try {
    const session = await manager.server(task.server).connect({ signal });
    const { status, statusMessage: message } = await session.task(task.id).get({ signal });
    return { ...task, status, message };
  } catch (error) {
    const isGone = error instanceof RpcError && error.code === rpcErrors.invalidParams;
    return { ...task, status: isGone ? 'unknown' : 'not asked', message: describeError(error) };
  }
}
