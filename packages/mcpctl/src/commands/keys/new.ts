import { open } from 'node:fs/promises';
import path from 'node:path';
import { KitError, newRing, ringText, whileWriting } from 'mcp-kit/internal';
import { defineCommand } from '../../command.ts';
import { print } from '../../output.ts';

export const keysNew = defineCommand({
  scope: 'own',
  positionals: [{ name: 'FILE', help: 'the file to make; nobody else may read it', files: true }],
  examples: [
    { command: 'mcpctl keys new keys.json', about: 'Then, at each node: --keys keys.json' },
  ],
  notes: ['The full story: docs/scale.md#keys'],
  async run({ args }) {
    const file = path.resolve(args.FILE);
    await whileWriting(file, async () => {
      const handle = await open(file, 'wx', 0o600).catch((cause: unknown) => {
        if (Object(cause).code !== 'EEXIST') throw cause;
        const hint = `To have new ones in it: mcpctl keys rotate ${args.FILE}`;
        throw new KitError('invalid_argument', `${file} is there already`, { hint, cause });
      });
      try {
        await handle.writeFile(ringText(newRing(Date.now())));
        await handle.sync();
      } finally {
        await handle.close();
      }
    });
    print(`Made ${file}. Every process that serves with others needs a copy: --keys ${args.FILE}`);
  },
});
