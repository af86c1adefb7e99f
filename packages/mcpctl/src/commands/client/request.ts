import { paramsOptions, readParams } from '../../arguments/params.ts';
import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { print, printJson, sumUp } from '../../output.ts';
import { prettyJson } from '../../show/item.ts';
import { progressOf } from '../../show/progress.ts';

export const request = defineCommand({
  positionals: [
    { name: 'SERVER', help: 'The server to ask.' },
    { name: 'METHOD', help: 'The method, such as tools/list.' },
  ],
  options: paramsOptions,
  examples: [
    { command: 'mcpctl request demo tools/list', about: 'The result as the server gives it.' },
    {
      command: `mcpctl request demo resources/read --params '{"uri":"demo://status"}'`,
      about: 'With parameters.',
    },
  ],
  notes: ['Nothing is filtered, and nothing is checked before it is sent.'],
  async run({ args, values, globals, stop }) {
    const startedMs = performance.now();
    const { SERVER: server, METHOD: method } = args;
    const params = await readParams(values, stop);
    await withManager({ globals, stop, server }, async ({ manager }) => {
      const progress = progressOf(globals);
      const result = await manager
        .server(server)
        .request(method, params, { signal: stop, onProgress: progress.report })
        .finally(() => progress.end());
      if (globals.json) printJson(result);
      else print(prettyJson(result));
      sumUp(globals, 'done', startedMs);
    });
  },
});
