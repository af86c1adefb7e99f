import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { showItems } from '../../show/item.ts';
import { firstLine } from '../../show/signature.ts';
import { skillsOf } from '../../skills/listed.ts';
import { plainField } from '../../terminal/plain-text.ts';

export const skillsList = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server to ask.' }],
  examples: [
    { command: 'mcpctl skills list game', about: 'Which skills a server has. No file is read.' },
  ],
  async run({ args, globals, stop }) {
    const startedMs = performance.now();
    const { SERVER: server } = args;
    await withManager({ globals, stop, server }, async ({ manager }) => {
      const session = await manager.server(server).connect({ signal: stop });
      const skills = await skillsOf(session, server);
      if (globals.json) {
        printJson({ server, skills });
      } else if (skills.length > 0) {
        const items = skills.map(({ uri, frontmatter: { name, description }, resources }) => {
          const files = resources === 'dynamic' ? 'no digests' : count(resources.length, 'file');
          return {
            title: `${plainField(String(name))} (${plainField(uri)}, ${files})`,
            about: firstLine(typeof description === 'string' ? description : ''),
          };
        });
        print(showItems(items, globals, '--json'));
      }
      sumUp(globals, count(skills.length, 'skill'), startedMs);
    });
  },
});
