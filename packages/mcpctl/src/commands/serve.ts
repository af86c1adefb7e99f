import { defineCommand } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { print } from '../output.ts';
import { serveGroups, serveOptions } from '../serve/options.ts';
import { loggerOf, serveUntilStopped } from '../serve/serving.ts';
import { readSettings } from '../serve/settings.ts';
import { keysFor, openState, statePlace } from '../serve/state.ts';

export const serve = defineCommand({
  scope: 'own',
  options: serveOptions,
  groups: serveGroups,
  examples: [
    { command: 'mcpctl serve', about: 'Serve over HTTP, and say how to reach it.' },
    { command: 'mcpctl serve --port 0 --json', about: 'Let a script learn the port.' },
    { command: 'mcpctl tools -- mcpctl serve --stdio', about: 'Look at the samples.' },
    {
      command: 'mcpctl lint -- mcpctl serve --stdio --governed',
      about: 'Try what works with governed tools.',
    },
    {
      command: 'mcpctl serve --workers 2 --store state',
      about: 'By two processes, which share what must last.',
    },
  ],
  notes: ['The full story: docs/mcpctl.md and docs/operate.md'],
  endsItself: true,
  async run({ values, stop: own }) {
    if (values['new-api-key'] !== undefined) {
      const { newApiKey } = await import('../serve/new-api-key.ts');
      print(await newApiKey(values['new-api-key'], values));
      return exitCodes.ok;
    }
    const asked = await readSettings(values);
    const by = asked.workers === undefined ? undefined : await import('../serve/workers.ts');
    const worker = by?.asWorker(asked, own);
    if (by !== undefined && worker === undefined) return by.serveByWorkers(asked, own);
    const { settings, stop } = worker ?? { settings: asked, stop: own };
    const logger = await loggerOf(settings);
    const { createSampleServer, firstTool } = await import('../samples/server.ts');
    await using state = await openState(statePlace(settings.place), (text) => logger.warn(text));
    const { store } = state;
    const kind = values.governed
      ? (await import('../samples/notes.ts')).governedNotes({
          store,
          plans: keysFor(state, 'plan'),
        })
      : ({ contract: settings.profile === 'v2' ? 'envelope' : 'plain' } as const);
    const requestState = keysFor(state, 'request-state');
    const server = createSampleServer({ ...kind, logger, requestState });
    const offer = { what: 'sample tools', name: 'demo', firstTool, more: [] };
    const quiet = values.quiet === true;
    await serveUntilStopped({ server, offer, settings, logger, stop, quiet, state, worker });
    return exitCodes.ok;
  },
});
