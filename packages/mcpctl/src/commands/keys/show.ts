import { defineCommand } from '../../command.ts';
import { place, withRing } from './ring-place.ts';

export const keysShow = defineCommand({
  scope: 'own',
  positionals: [place],
  options: { json: { type: 'boolean', help: 'Print them as JSON.' } },
  examples: [
    { command: 'mcpctl keys show keys.json', about: 'Which there are; never what they are.' },
  ],
  notes: ['The full story: docs/scale.md#keys'],
  run: ({ args, values }) => withRing(args.PLACE, values, async () => {}),
});
