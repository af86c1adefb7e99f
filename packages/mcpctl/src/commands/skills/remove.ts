import path from 'node:path';
import { usageError, type Options } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { shownFile } from '../../config.ts';
import { print, printJson } from '../../output.ts';
import { agreedTo, changeOptions, type FileChange } from '../../setup/change.ts';
import { skillFolders, skillHosts } from '../../skills/folders.ts';
import { assertOurs, dropSkill, filesIn } from '../../skills/installed.ts';
import { changeRecords, readRecords, type SkillRecord } from '../../skills/records.ts';

const options = {
  host: {
    type: 'string',
    multiple: true,
    choices: Object.keys(skillHosts),
    value: 'HOST',
    help: 'Only out of the folder that this host reads. May be repeated.',
  },
  folder: { type: 'string', value: 'DIR', help: 'Only out of this folder.' },
  user: { type: 'boolean', help: 'With --host: out of your own folder.' },
  ...changeOptions,
} as const satisfies Options;

export const skillsRemove = defineCommand({
  scope: 'config',
  positionals: [{ name: 'SKILLS', help: 'The names of installed skills.', many: true }],
  options,
  examples: [
    { command: 'mcpctl skills remove build-ui', about: 'From wherever it was installed.' },
    { command: 'mcpctl skills remove build-ui --host cursor --yes', about: 'From one folder.' },
  ],
  notes: ['A skill that has been changed since it was installed is left alone.'],
  async run({ args: { SKILLS: names }, values, globals, stop }) {
    const records = [...(await readRecords(process.env)).values()];
    const isAnywhere = values.host === undefined && values.folder === undefined;
    const within = isAnywhere ? undefined : skillFolders(values, globals);
    const chosen = [...new Set(names)].flatMap((name) => recordsOf(name, records, within));
    const changes: FileChange[] = [];
    for (const record of chosen) changes.push(...(await removalOf(record)));
    const asking = { yes: values.yes, dryRun: values['dry-run'], globals, stop };
    const agreed = await agreedTo(changes, asking);
    if (agreed) await drop(chosen);
    const folders = chosen.map(({ folder }) => folder);
    if (globals.json) printJson({ removed: agreed ? folders : [], folders });
    else if (!agreed) print('nothing was removed');
    else print(folders.map((folder) => `${shownFile(folder, globals)}: removed`).join('\n'));
  },
});

function recordsOf(
  name: string,
  records: readonly SkillRecord[],
  within: readonly string[] | undefined,
): readonly SkillRecord[] {
  const found = records.filter(
    ({ folder }) =>
      path.basename(folder) === name && (within?.includes(path.dirname(folder)) ?? true),
  );
  if (found.length > 0) return found;
  const known = [...new Set(records.map(({ folder }) => path.basename(folder)))].join(', ');
  throw usageError(
    `no skill named ${name} was installed there by mcpctl`,
    known === '' ? 'None was installed at all.' : `Installed are ${known}.`,
  );
}

/** What goes; nothing where it has gone already. */
async function removalOf(record: SkillRecord): Promise<readonly FileChange[]> {
  const files = await filesIn(record.folder);
  if (files === undefined) return [];
  assertOurs(record.folder, files, record);
  return Array.from(files, ([name, bytes]) => ({
    file: path.join(record.folder, ...name.split('/')),
    before: Buffer.from(bytes).toString(),
    after: undefined,
    secrets: [],
  }));
}

async function drop(chosen: readonly SkillRecord[]): Promise<void> {
  await changeRecords(process.env, async (records) => {
    const after = new Map(records);
    for (const { folder } of chosen) {
      const files = await filesIn(folder);
      if (files !== undefined) {
        assertOurs(folder, files, records.get(folder));
        await dropSkill(folder);
      }
      after.delete(folder);
    }
    return after;
  });
}
