import { loadConfig } from '@mcp-kit/host';
import { candidateFiles, dialectTitle } from '@mcp-kit/host/internal';
import { defineCommand } from '../../command.ts';
import { checkPlace, loadOptions } from '../../config.ts';
import { home } from '../../globals.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { columnsOf, createStyle } from '../../terminal/style.ts';
import { table } from '../../terminal/table.ts';

export const configFiles = defineCommand({
  scope: 'config',
  examples: [
    { command: 'mcpctl config files', about: 'Which files are looked for, and which are there.' },
  ],
  notes: ['The order is that in which they count: of two servers of one name the first wins.'],
  async run({ globals }) {
    const startedMs = performance.now();
    checkPlace(globals);
    const options = loadOptions(globals);
    const { sources } = await loadConfig(options);
    const { root } = globals;
    const surroundings = { root, home: home(), platform: process.platform, env: process.env };
    const looked =
      globals.configFile === undefined
        ? candidateFiles(surroundings).flatMap(({ files, dialect, scope }) =>
            files.map((file) => ({ file, dialect, scope })),
          )
        : [];
    const others = looked.filter(({ file }) => !sources.some((source) => source.file === file));
    const found = sources.map(({ file, scope, dialects, servers }) => ({
      file,
      scope,
      host: dialects.map((id) => dialectTitle(id)).join(', '),
      servers,
    }));
    if (globals.json) {
      printJson({ found, lookedFor: [...new Set(others.map(({ file }) => file))] });
      return;
    }
    const { bold } = createStyle(globals);
    const rows = found.map(({ file, scope, host, servers }) => [
      String(servers),
      scope,
      host,
      file,
    ]);
    const missing = [...new Map(others.map((other) => [other.file, other])).values()].map(
      ({ file, scope, dialect }) => ['-', scope, dialectTitle(dialect), file],
    );
    print(
      table([...rows, ...missing], {
        head: ['SERVERS', 'SCOPE', 'HOST', 'FILE'],
        columns: columnsOf(process.stdout),
        paint: { head: bold },
      }),
    );
    sumUp(globals, `${count(found.length, 'file')} of ${rows.length + missing.length}`, startedMs);
  },
});
