import { paramsOptions, readParams } from '../../arguments/params.ts';
import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { printJson } from '../../output.ts';

export const notify = defineCommand({
  positionals: [
    { name: 'SERVER', help: 'The server to tell.' },
    { name: 'METHOD', help: 'The method, such as notifications/roots/list_changed.' },
  ],
  options: paramsOptions,
  examples: [
    {
      command: 'mcpctl notify demo notifications/roots/list_changed',
      about:
        'Says {"ok":true} when it is sent, over HTTP when the server has taken it; a notification has no answer.',
    },
  ],
  async run({ args, values, globals, stop }) {
    const { SERVER: server, METHOD: method } = args;
    const params = await readParams(values, stop);
    await withManager({ globals, stop, server }, async ({ manager }) => {
      await manager.server(server).notify(method, params, { signal: stop });
      printJson({ ok: true });
    });
  },
});
