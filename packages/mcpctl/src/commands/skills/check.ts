import path from 'node:path';
import { lintSkills, type LintedSkill, type SkillFinding } from 'mcp-kit/tools/inspect';
import { skills as serveFolder, type SkillFault } from 'mcp-kit/server';
import { usageError } from '../../args.ts';
import { defineCommand, type Invocation } from '../../command.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { withManager } from '../../open.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { readAll, skillsOf } from '../../skills/listed.ts';
import { plainField } from '../../terminal/plain-text.ts';
import { createStyle } from '../../terminal/style.ts';

/** What was found: what is not served at all, and what rules say of the others. */
interface Checked {
  readonly source: string;
  readonly skills: readonly LintedSkill[];
  readonly faults: readonly SkillFault[];
}

export const skillsCheck = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server whose skills are looked at.', optional: true }],
  options: { folder: { type: 'string', value: 'DIR', help: 'Look at the skills of this folder.' } },
  examples: [
    { command: 'mcpctl skills check game', about: 'Read every file of every skill of a server.' },
    { command: 'mcpctl skills check --folder skills', about: 'Of a folder, before it is served.' },
  ],
  notes: ['Exit code 1 when there are errors. The rules: docs/lint.md'],
  async run({ args: { SERVER: server }, values: { folder }, globals, stop }) {
    const startedMs = performance.now();
    const checked = await lookAt({ server, folder }, { globals, stop });
    const findings = lintSkills(checked.skills);
    const errors = findings.filter(({ level }) => level === 'error').length + checked.faults.length;
    if (globals.json) {
      const { source, skills, faults } = checked;
      printJson({ source, skills: skills.length, faults, findings });
    } else show(checked, findings, globals);
    const warnings = findings.length + checked.faults.length - errors;
    const found = `${count(errors, 'error')}, ${count(warnings, 'warning')}`;
    sumUp(globals, `${found} in ${count(checked.skills.length, 'skill')}`, startedMs);
    return errors > 0 ? exitCodes.failed : exitCodes.ok;
  },
});

async function lookAt(
  { server, folder }: { readonly server: string | undefined; readonly folder: string | undefined },
  { globals, stop }: Pick<Invocation, 'globals' | 'stop'>,
): Promise<Checked> {
  if ((server === undefined) === (folder === undefined)) {
    throw usageError(
      server === undefined ? 'nothing to look at' : `--folder and ${server} exclude each other`,
      'Name a server, or a folder: mcpctl skills check SERVER, mcpctl skills check --folder DIR',
    );
  }
  if (folder !== undefined) return lookAtFolder(path.resolve(globals.root, folder), folder);
  const name = server ?? '';
  return withManager({ globals, stop, server: name }, async ({ manager }) => {
    const session = await manager.server(name).connect({ signal: stop });
    const skills: LintedSkill[] = [];
    const faults: SkillFault[] = [];
    for (const skill of await skillsOf(session, name)) {
      try {
        const files = skill.resources === 'dynamic' ? [] : await readAll(session, skill);
        const own = files.find((file) => file.path === 'SKILL.md');
        skills.push({ skill, text: own && Buffer.from(own.bytes).toString() });
      } catch (error) {
        stop.throwIfAborted();
        faults.push({
          path: skill.uri,
          what: error instanceof Error ? error.message : String(error),
        });
      }
    }
    return { source: name, skills, faults };
  });
}

async function lookAtFolder(place: string, shown: string): Promise<Checked> {
  const served = serveFolder(place, { watch: false });
  const { skills, faults } = await served.look();
  const linted: LintedSkill[] = [];
  for (const skill of skills) {
    const bytes = await served.read(skill.uri);
    linted.push({ skill, text: bytes && Buffer.from(bytes).toString() });
  }
  return { source: shown, skills: linted, faults };
}

function show({ faults }: Checked, findings: readonly SkillFinding[], globals: Globals): void {
  const { bold, dim, red, yellow } = createStyle(globals);
  for (const { path: name, what } of faults) {
    print(
      `${bold(plainField(name === '' ? 'the folder' : name))}\n  ${red('error')}: ${plainField(what)}`,
    );
  }
  for (const skill of new Set(findings.map((finding) => finding.skill))) {
    print(bold(plainField(skill)));
    for (const { rule, level, message, hint } of findings.filter((one) => one.skill === skill)) {
      const word = level === 'error' ? red('error') : yellow('warning');
      const fix = hint === undefined ? '' : `\n    ${plainField(hint)}`;
      print(`  ${word}: ${plainField(message)} ${dim(`(${rule})`)}${fix}`);
    }
  }
}
