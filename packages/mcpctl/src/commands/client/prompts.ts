import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { collect, showItems } from '../../show/item.ts';
import { firstLine, promptSignature } from '../../show/signature.ts';

export const prompts = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server to ask.' }],
  examples: [
    { command: 'mcpctl prompts writer', about: 'What prompts there are, and what they take.' },
  ],
  async run({ args, globals, stop }) {
    const startedMs = performance.now();
    const { SERVER: server } = args;
    await withManager({ globals, stop, server }, async ({ manager }) => {
      const session = await manager.server(server).connect({ signal: stop });
      const list = await collect(session.prompts({ signal: stop }), 'name');
      if (globals.json) {
        printJson({ server, prompts: list });
      } else if (list.length > 0) {
        const items = list.map((prompt) => ({
          title: promptSignature(prompt),
          about: firstLine(prompt.description ?? prompt.title),
        }));
        print(showItems(items, globals, '--json'));
      }
      sumUp(globals, count(list.length, 'prompt'), startedMs);
    });
  },
});
