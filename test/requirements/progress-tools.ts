import { once } from 'node:events';
import type { Context } from 'mcp-kit/server';
import { tool, type Tool } from 'mcp-kit/tools';

/** A tool that reports progress so many times. */
export function countingTool(times: number): Tool {
  return tool({
    name: 'count',
    description: 'Reports progress.',
    async run(_args, context) {
      for (let at = 1; at <= times; at += 1) await context.progress(at);
      return 'counted';
    },
  });
}

/** A tool that tells its context, and then waits until nobody waits for it. */
export function waitingTool(begun: (context: Context) => void): Tool {
  return tool({
    name: 'wait',
    description: 'Waits until nobody does.',
    async run(_args, context) {
      const gone = once(context.signal, 'abort');
      await context.progress(1);
      begun(context);
      await gone;
      return 'never heard';
    },
  });
}
