import { readSkillFile, type Skill } from 'mcp-kit/client';
import { usageError } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { contentText } from '../../show/item.ts';
import { pathIn, skillNamed } from '../../skills/listed.ts';

export const skillsShow = defineCommand({
  positionals: [
    { name: 'SERVER', help: 'The server that has the skill.' },
    { name: 'SKILL', help: 'Its name or URI.' },
    { name: 'FILE', help: 'A file of it. Default: SKILL.md.', optional: true },
  ],
  examples: [
    { command: 'mcpctl skills show game build-ui', about: 'What a skill says.' },
    { command: 'mcpctl skills show game build-ui references/LAYOUT.md', about: 'A file of it.' },
  ],
  notes: [
    'What is shown is what the server has listed: its size, its digest and its frontmatter are compared.',
  ],
  async run({ args, globals, stop }) {
    const startedMs = performance.now();
    const { SERVER: server, SKILL: name, FILE: file } = args;
    await withManager({ globals, stop, server }, async ({ manager }) => {
      const session = await manager.server(server).connect({ signal: stop });
      const skill = await skillNamed(session, server, name);
      const uri = file === undefined ? skill.uri : uriOf(skill, file);
      const bytes = await readSkillFile(session, skill, uri);
      const text = Buffer.from(bytes).toString();
      if (globals.json) printJson({ server, skill, uri, text });
      else print(contentText(text.trimEnd()));
      const files = skill.resources === 'dynamic' ? [] : skill.resources;
      sumUp(globals, `${count(bytes.length, 'byte')} of ${count(files.length, 'file')}`, startedMs);
    });
  },
});

function uriOf(skill: Skill, file: string): string {
  const { resources } = skill;
  const files = resources === 'dynamic' ? [] : resources;
  const found = files.find(({ uri }) => pathIn(skill, uri) === file);
  if (found !== undefined) return found.uri;
  const names = files.map(({ uri }) => pathIn(skill, uri)).join(', ');
  throw usageError(
    `${skill.uri} has no file ${file}`,
    `It has ${names === '' ? 'no list of them' : names}.`,
  );
}
