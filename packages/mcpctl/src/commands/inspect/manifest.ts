import { defineCommand } from '../../command.ts';
import { readManifest } from '../../governed/read-manifest.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { prettyJson } from '../../show/item.ts';
import { saveAs } from '../../show/save.ts';

export const manifest = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server whose tools are written down.' }],
  options: {
    output: { type: 'string', value: 'FILE', help: 'Write to this file.' },
  },
  examples: [
    { command: 'mcpctl manifest notes', about: 'Schemas, traits, examples and failures.' },
    {
      command: 'mcpctl manifest --output tools.json -- node server.mjs',
      about: 'A file to keep, and to compare with the next version.',
    },
  ],
  notes: [
    'A governed server tells all of it itself. Of any other, as much is written as its list of tools says.',
    'Tools are sorted by name, so that the same tools make the same file.',
  ],
  async run({ args, values, globals, stop }) {
    const startedMs = performance.now();
    const { SERVER: server } = args;
    const { tools } = await readManifest({ server }, { globals, stop });
    const { output } = values;
    if (output !== undefined) await saveAs(output, `${JSON.stringify({ tools }, undefined, 2)}\n`);
    else if (!globals.json) print(prettyJson({ tools }));
    if (globals.json) printJson(output === undefined ? { server, tools } : { server, output });
    const place = output === undefined ? '' : ` in ${output}`;
    sumUp(globals, `${count(tools.length, 'tool')}${place}`, startedMs);
  },
});
