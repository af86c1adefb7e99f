import type { ServerEntry } from '@mcp-kit/host';
import {
  changeServerFile,
  dialectOf,
  parseDocument,
  readServerFile,
  reviseText,
  withoutMembers,
} from '@mcp-kit/host/internal';
import { isRecord } from 'mcp-kit/internal';
import { usageError } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { entryOf, readConfig, shownFile } from '../../config.ts';
import { print, printJson } from '../../output.ts';
import { agreedTo, changeOptions, secretsOf } from '../../setup/change.ts';
import { plainField } from '../../terminal/plain-text.ts';

export const remove = defineCommand({
  scope: 'config',
  positionals: [{ name: 'SERVERS', help: 'The servers to take out of their files.', many: true }],
  options: changeOptions,
  examples: [
    { command: 'mcpctl remove files', about: 'Look at what would go, and agree.' },
    { command: 'mcpctl remove files --yes', about: 'In a script.' },
  ],
  notes: [
    'A server is taken out of the file that it counts from: mcpctl config explain NAME says which. Everything else in the file stays.',
  ],
  async run({ args: { SERVERS: names }, values, globals, stop }) {
    const config = await readConfig(globals);
    const chosen = [...new Set(names)].map((name) => entryOf(config, name, globals));
    const places = [...new Set(chosen.map(({ provenance }) => provenance.file))];
    const changes = await Promise.all(
      places.map((place) => without(chosen.filter(({ provenance }) => provenance.file === place))),
    );
    const asking = { yes: values.yes, dryRun: values['dry-run'], globals, stop };
    const agreed = await agreedTo(changes, asking);
    if (agreed) {
      for (const { file, before, after } of changes) {
        await changeServerFile({ file, text: before }, after);
      }
    }
    const files = changes.map(({ file }) => file);
    if (globals.json) printJson({ removed: agreed ? names : [], files });
    else if (!agreed) print('nothing was written');
    else {
      const shown = files.map((file) => shownFile(file, globals)).join(', ');
      print(plainField(`${shown}: removed ${names.join(', ')}`));
    }
  },
});

/** What a file becomes without some of its servers. */
async function without(entries: readonly ServerEntry[]): Promise<{
  readonly file: string;
  readonly before: string;
  readonly after: string;
  readonly secrets: readonly string[];
}> {
  const [first] = entries;
  const {
    scope,
    dialect,
    file: named,
  } = first?.provenance ?? { scope: 'project', dialect: 'compat', file: '' };
  if (scope === 'managed') {
    throw usageError(`${first?.name} is set by an administrator`, `It is in ${named}.`);
  }
  const { format } = dialectOf(dialect);
  const { file, text = '' } = await readServerFile(named, { follow: scope !== 'project' });
  const document = await parseDocument(text, file, format);
  const before = isRecord(document) ? document : {};
  const paths = entries.map(({ provenance }) => keysOf(provenance.pointer));
  const after = await reviseText(
    { text, before, after: withoutMembers(before, paths), file },
    format,
  );
  return { file, before: text, after, secrets: secretsOf(entries) };
}

/** The keys of a JSON pointer. */
function keysOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
