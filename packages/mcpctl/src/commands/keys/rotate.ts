import { defineCommand } from '../../command.ts';
import { place, withRing } from './ring-place.ts';

export const keysRotate = defineCommand({
  scope: 'own',
  positionals: [place],
  options: { json: { type: 'boolean', help: 'Print the keys as JSON, without what they are.' } },
  examples: [
    { command: 'mcpctl keys rotate keys.json', about: 'A new key, five minutes from now.' },
    { command: 'mcpctl keys rotate state', about: 'The same, for the keys that a store keeps.' },
  ],
  notes: [
    'The new key seals five minutes from now: copy the file to all nodes before that. Each reads it again every minute, and on SIGHUP.',
    'The former key opens what it has sealed for a week; sessions that are older begin anew then.',
    'The full story: docs/scale.md#keys',
  ],
  run: ({ args, values }) => withRing(args.PLACE, values, (ring) => ring.rotate()),
});
