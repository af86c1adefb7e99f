import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { createLogBook } from '../control/log-book.ts';
import { loggerOf, stderrPrinter } from '../logs.ts';
import { withManager, type Run } from '../open.ts';
import { upGroups, upOptions } from '../up/options.ts';
import { groupsOf } from '../up/groups.ts';
import { readUpPlan } from '../up/plan.ts';

export const up = defineCommand({
  scope: 'config',
  options: upOptions,
  groups: upGroups,
  examples: [
    { command: 'mcpctl up', about: 'Serve all servers of the configuration at one URL.' },
    { command: 'mcpctl up --stdio', about: 'For a host that only starts programs.' },
    { command: 'mcpctl up --stdio --group reading', about: 'Only a group of them.' },
    { command: 'mcpctl up --port 0 --json', about: 'Let a script learn the port.' },
  ],
  notes: [
    'Tools and prompts are named SERVER__NAME. Only servers that you have approved are used: mcpctl trust approve SERVER.',
    'When the configuration changes, what has changed is taken over, and the rest is not disturbed.',
    'It ends with 0 when its client hangs up or it is told to stop, with 2 when the command line is wrong.',
    'The full story: docs/gateway.md',
  ],
  endsItself: true,
  async run({ values, globals, stop }) {
    const plan = await readUpPlan(values, globals);
    const logger = loggerOf(globals);
    // A lost server is wanted again, and nobody at this terminal answers for the clients.
    const book = createLogBook();
    const show = stderrPrinter(globals);
    const more: Run['more'] = {
      reconnect: true,
      inputs: undefined,
      onChange: undefined,
      onStderr(server, text) {
        book.add(server, 'stderr', text);
        show?.(server, text);
      },
      onUnreadable: (server, { reason, sample = '' }) =>
        book.add(server, 'output', `${reason}: ${sample}`),
    };
    await withManager({ globals, stop, more }, async ({ manager, entries }) => {
      const { runUp } = await import('../up/run.ts');
      const groups = groupsOf(manager.gatewaySettings, plan.options.group);
      const names = entries.filter(({ enabled }) => enabled).map(({ name }) => name);
      const served = names.filter(groups.isServed).sort();
      const front = { globals, logger, stop, names: served, groups: groups.names, book };
      await runUp(manager, { ...plan, ...front });
    });
    return exitCodes.ok;
  },
});
