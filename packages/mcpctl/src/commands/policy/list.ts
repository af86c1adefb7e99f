import { createPolicy } from '@mcp-kit/host/gateway';
import { defineCommand } from '../../command.ts';
import { readConfig } from '../../config.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { columnsOf, createStyle } from '../../terminal/style.ts';
import { table } from '../../terminal/table.ts';
import { linesOf, placeOf, wordsOf } from './view.ts';

export const policyList = defineCommand({
  scope: 'config',
  examples: [
    { command: 'mcpctl policy list', about: 'Every rule, in the order in which they are tried.' },
  ],
  notes: [
    'In a file the first rule that fits decides, and where none does it is allowed. Of what several files say the strictest counts.',
    'The full story: docs/gateway.md#policy',
  ],
  async run({ globals }) {
    const startedMs = performance.now();
    const { gateway } = await readConfig(globals);
    const rules = await linesOf(createPolicy(gateway.policy ?? []).rules);
    if (globals.json) {
      printJson({ rules });
      return;
    }
    if (rules.length === 0) {
      print('There are no rules: whatever servers that you approved have may be used.');
      return;
    }
    const { bold } = createStyle(globals);
    const rows = rules.map((rule) => [
      rule.decision,
      wordsOf(rule),
      rule.reason ?? '',
      placeOf(rule, globals),
    ]);
    const head = ['DECISION', 'ABOUT', 'REASON', 'WHERE'];
    print(table(rows, { head, columns: columnsOf(process.stdout), paint: { head: bold } }));
    sumUp(globals, count(rules.length, 'rule'), startedMs);
  },
});
