import { isUtf8 } from 'node:buffer';
import path from 'node:path';
import type { Skill } from 'mcp-kit/client';
import { digestOf, nameFault } from 'mcp-kit/internal';
import { usageError, type Options, type OptionValues } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { shownFile } from '../../config.ts';
import type { Globals } from '../../globals.ts';
import { withManager } from '../../open.ts';
import { count, print, printJson, warn } from '../../output.ts';
import { agreedTo, changeOptions, type FileChange } from '../../setup/change.ts';
import { skillFolders, skillHosts } from '../../skills/folders.ts';
import { assertOurs, filesIn, putSkill } from '../../skills/installed.ts';
import { readAll, skillNamed, type SkillContent } from '../../skills/listed.ts';
import { changeRecords, readRecords, type SkillRecord } from '../../skills/records.ts';

const options = {
  host: {
    type: 'string',
    multiple: true,
    choices: Object.keys(skillHosts),
    value: 'HOST',
    help: 'Into the folder that this host reads. Default: agents (.agents/skills), which most read. May be repeated.',
  },
  folder: { type: 'string', value: 'DIR', help: 'Into this folder instead.' },
  user: {
    type: 'boolean',
    help: "Into your own folder, for every project. Default: the project's.",
  },
  'allow-tools': {
    type: 'boolean',
    help: 'Also a skill that says which tools may be used without asking (allowed-tools).',
  },
  ...changeOptions,
} as const satisfies Options;

type Values = OptionValues<typeof options>;

/** A skill that is to go into a folder. */
interface Placing {
  readonly folder: string;
  readonly skill: Skill;
  readonly contents: readonly SkillContent[];
  readonly changes: readonly FileChange[];
}

export const skillsInstall = defineCommand({
  positionals: [
    { name: 'SERVER', help: 'The server that has the skills.' },
    { name: 'SKILLS', help: 'Their names or URIs.', many: true },
  ],
  options,
  examples: [
    { command: 'mcpctl skills install game build-ui', about: 'Read it, and agree.' },
    {
      command: 'mcpctl skills install game build-ui --host claude-code --user --yes',
      about: 'For every project, in a script.',
    },
  ],
  notes: [
    'Every file is compared with what the server lists, and shown before anything is written. An installed skill is a copy: it changes only when it is installed again.',
    'A folder that was not written by this command, or that has been changed since, is left alone.',
  ],
  async run({ args: { SERVER: server, SKILLS: names }, values, globals, stop }) {
    const folders = skillFolders(values, globals);
    const placings = await withManager({ globals, stop, server }, async ({ manager }) => {
      const session = await manager.server(server).connect({ signal: stop });
      const records = await readRecords(process.env);
      const all: Placing[] = [];
      for (const name of new Set(names)) {
        const skill = await skillNamed(session, server, name);
        checkSkill(skill, values);
        const contents = await readAll(session, skill);
        for (const folder of folders) {
          all.push(await placingOf({ skill, contents, folder }, records));
        }
      }
      return all;
    });
    const open = placings.filter(({ changes }) => changes.length > 0);
    const asking = { yes: values.yes, dryRun: values['dry-run'], globals, stop };
    const agreed =
      open.length > 0 &&
      (await agreedTo(
        open.flatMap(({ changes }) => changes),
        asking,
      ));
    if (agreed) await put(open, server);
    report(placings, { written: agreed ? open : [], globals });
  },
});

function checkSkill({ uri, frontmatter }: Skill, values: Values): void {
  const { name, 'allowed-tools': allowed } = frontmatter;
  const wrong = nameFault(name, String(name));
  if (wrong !== undefined) throw usageError(`${uri}: ${wrong}`, 'It cannot be installed.');
  if (allowed === undefined || values['allow-tools'] === true) return;
  throw usageError(
    `${uri} wants tools to be used without asking: ${JSON.stringify(allowed)}`,
    'Add --allow-tools if it may.',
  );
}

async function placingOf(
  { skill, contents, folder }: Pick<Placing, 'skill' | 'contents' | 'folder'>,
  records: ReadonlyMap<string, SkillRecord>,
): Promise<Placing> {
  const own = path.join(folder, String(skill.frontmatter['name']));
  const before = await filesIn(own);
  if (before !== undefined) assertOurs(own, before, records.get(own));
  return { folder: own, skill, contents, changes: changesOf(own, before ?? new Map(), contents) };
}

function changesOf(
  folder: string,
  before: ReadonlyMap<string, Uint8Array>,
  contents: readonly SkillContent[],
): readonly FileChange[] {
  const after = new Map(contents.map(({ path: name, bytes }) => [name, bytes]));
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((name) => {
    const [old, fresh] = [before.get(name), after.get(name)];
    if (old !== undefined && fresh !== undefined && digestOf(old) === digestOf(fresh)) return [];
    const file = path.join(folder, ...name.split('/'));
    return [{ file, before: textOf(old), after: textOf(fresh), secrets: [] }];
  });
}

function textOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  return isUtf8(bytes)
    ? Buffer.from(bytes).toString()
    : `${bytes.length} bytes, ${digestOf(bytes)}\n`;
}

/** Looks once more: somebody may have been there while the question was read. */
async function put(placings: readonly Placing[], server: string): Promise<void> {
  await changeRecords(process.env, async (records) => {
    const after = new Map(records);
    for (const { folder, skill, contents } of placings) {
      const there = await filesIn(folder);
      if (there !== undefined) assertOurs(folder, there, records.get(folder));
      await putSkill(folder, contents);
      const files = contents.map(({ path: name, bytes }) => [name, digestOf(bytes)] as const);
      after.set(folder, { folder, server, uri: skill.uri, files: Object.fromEntries(files) });
    }
    return after;
  });
}

interface Outcome {
  readonly written: readonly Placing[];
  readonly globals: Globals;
}

function report(placings: readonly Placing[], { written, globals }: Outcome): void {
  if (globals.json) {
    const skills = placings.map((placing) => ({
      name: placing.skill.frontmatter['name'],
      uri: placing.skill.uri,
      folder: placing.folder,
      files: placing.contents.map((file) => file.path),
      written: written.includes(placing),
    }));
    printJson({ skills });
    return;
  }
  for (const placing of placings) {
    const place = shownFile(placing.folder, globals);
    if (written.includes(placing))
      print(`${place}: ${count(placing.contents.length, 'file')} written`);
    else
      print(`${place}: ${placing.changes.length === 0 ? 'is as it was' : 'nothing was written'}`);
  }
  const [first] = written;
  if (first === undefined) return;
  warn(globals, `Undo: mcpctl skills remove ${path.basename(first.folder)}`);
}
