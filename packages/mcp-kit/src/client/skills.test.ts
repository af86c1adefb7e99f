import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { Skill } from '#protocol';
import { listSkills, readSkillFile, type SkillSource } from './skills.ts';

const instructions = '---\nname: pdf\ndescription: Fills forms\n---\n\nDo this.\n';
const uri = 'skill://pdf/SKILL.md';
const other = 'skill://pdf/FORMS.md';

const promise = (of: string, text: string): { uri: string; digest: string; size: number } => ({
  uri: of,
  digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
  size: Buffer.byteLength(text),
});

const skill: Skill = {
  uri,
  frontmatter: { name: 'pdf', description: 'Fills forms' },
  resources: [promise(uri, instructions), promise(other, 'forms')],
};

/** A server whose files hold these texts. */
function serving(texts: Readonly<Record<string, string>>): SkillSource & { reads: string[] } {
  const reads: string[] = [];
  return {
    reads,
    request: (_, params) =>
      Promise.resolve(
        params?.['cursor'] === undefined
          ? { skills: [skill], nextCursor: 'more' }
          : { skills: [{ ...skill, uri: other, resources: 'dynamic' }] },
      ),
    readResource: (asked) => {
      reads.push(asked);
      return Promise.resolve({ contents: [{ uri: asked, text: texts[asked] ?? '' }] });
    },
  };
}

describe('skills', () => {
  test('are listed page by page, and no file of them is read', async () => {
    const server = serving({});
    const uris: string[] = [];
    for await (const listed of listSkills(server)) uris.push(listed.uri);
    expect(uris).toEqual([uri, other]);
    expect(server.reads).toEqual([]);
  });

  test('that are not as promised in their list are an error', async () => {
    const broken = { ...serving({}), request: () => Promise.resolve({ skills: [{ uri }] }) };
    await expect(listSkills(broken).next()).rejects.toMatchObject({ code: 'invalid_answer' });
  });
});

describe('a file of a skill', () => {
  test('is given when it is what was listed', async () => {
    const server = serving({ [uri]: instructions, [other]: 'forms' });
    expect(Buffer.from(await readSkillFile(server, skill)).toString()).toBe(instructions);
    expect(Buffer.from(await readSkillFile(server, skill, other)).toString()).toBe('forms');
  });

  test.each([
    ['changed', instructions.replace('this', 'that'), 'its digest differs'],
    ['longer', `${instructions} and more`, 'its size differs'],
  ])('that is %s is not given', async (_, text, why) => {
    const reading = readSkillFile(serving({ [uri]: text }), skill);
    await expect(reading).rejects.toMatchObject({
      code: 'invalid_answer',
      message: expect.stringContaining(why) as string,
    });
  });

  test.each([
    ['says something else of itself', instructions.replace('Fills', 'Steals')],
    ['says more of itself', instructions.replace('---\n\n', 'more: 1\n---\n\n')],
    ['says nothing of itself', 'Do this.\n'],
    ['says it in no YAML', instructions.replace('name: pdf', 'name: [')],
  ])('that %s is not given, whatever its digest', async (_, text) => {
    const changed = { ...skill, resources: [promise(uri, text)] };
    const reading = readSkillFile(serving({ [uri]: text }), changed);
    await expect(reading).rejects.toMatchObject({ code: 'invalid_answer' });
    const dynamic = { ...skill, resources: 'dynamic' as const };
    const again = readSkillFile(serving({ [uri]: text }), dynamic);
    await expect(again).rejects.toMatchObject({ code: 'invalid_answer' });
  });

  test('that was not listed is not even asked for', async () => {
    const server = serving({});
    const reading = readSkillFile(server, skill, 'file:///etc/passwd');
    await expect(reading).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(server.reads).toEqual([]);
  });
});
