import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Skill } from '#protocol';
import { connectInMemory, type InMemoryClient } from '#testing';
import { resources, defineResource } from '../resources.ts';
import { createServer } from '../server.ts';
import { skills, type SkillSet } from './skills.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'mcp-kit-skills-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
});

const instructions = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: Does ${name}\n${more}---\n\nDo this.\n`;

/** Writes files below the folder. */
async function write(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(root, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
}

function serve(set: SkillSet = skills(root, { watch: false })): InMemoryClient {
  const client = connectInMemory(createServer({ name: 's', version: '1', features: [set] }));
  onTestFinished(async () => {
    set.close();
    await client.close();
  });
  return client;
}

const listed = async (client: InMemoryClient): Promise<readonly Skill[]> =>
  ((await client.requestModern('skills/list')) as { skills: readonly Skill[] }).skills;

const digest = (content: string | Uint8Array): string =>
  `sha256:${createHash('sha256').update(content).digest('hex')}`;

describe('a folder of skills', () => {
  test('is listed with its frontmatter, and the digest and size of every file, in both eras', async () => {
    const text = instructions('pdf', 'metadata:\n  version: "2"\n');
    await write({
      'pdf/SKILL.md': text,
      'pdf/references/FORMS.md': 'forms',
      'README.md': 'no skill',
    });
    const client = serve();
    const skill = {
      uri: 'skill://pdf/SKILL.md',
      frontmatter: { name: 'pdf', description: 'Does pdf', metadata: { version: '2' } },
      resources: [
        { uri: 'skill://pdf/SKILL.md', digest: digest(text), size: text.length },
        { uri: 'skill://pdf/references/FORMS.md', digest: digest('forms'), size: 5 },
      ],
    };
    expect(await client.requestModern('skills/list')).toMatchObject({
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      skills: [skill],
    });
    expect(await client.requestModern('skills/get', { uri: skill.uri })).toMatchObject({
      resultType: 'complete',
      ttlMs: 0,
      skill,
    });
    const { capabilities } = (await client.initialize()) as { capabilities: object };
    expect(capabilities).toMatchObject({
      resources: { subscribe: true, listChanged: true },
      extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
    });
    expect(await client.request('skills/list')).toEqual({ skills: [skill] });
    expect(await client.request('skills/get', { uri: skill.uri })).toEqual({ skill });
  });

  test('is read file by file: text as text, bytes as bytes', async () => {
    await write({ 'a/SKILL.md': instructions('a'), 'a/b.png': new Uint8Array([137, 0, 255]) });
    const client = serve();
    expect(
      await client.requestModern('resources/read', { uri: 'skill://a/SKILL.md' }),
    ).toMatchObject({
      contents: [{ uri: 'skill://a/SKILL.md', mimeType: 'text/markdown', text: instructions('a') }],
    });
    expect(await client.requestModern('resources/read', { uri: 'skill://a/b.png' })).toMatchObject({
      contents: [{ uri: 'skill://a/b.png', mimeType: 'image/png', blob: 'iQD/' }],
    });
  });

  test.each(['skill://a', 'skill://a/c.md', 'skill://b/SKILL.md', 'skill://a/../a/SKILL.md'])(
    'has nothing at %s',
    async (uri) => {
      await write({ 'a/SKILL.md': instructions('a') });
      const client = serve();
      const unknown = { code: -32602 };
      await expect(client.requestModern('resources/read', { uri })).rejects.toMatchObject(unknown);
      await expect(client.requestModern('skills/get', { uri })).rejects.toMatchObject(unknown);
    },
  );

  test('is among the resources of the server, with those of other features', async () => {
    await write({ 'a/SKILL.md': instructions('a'), 'a/b.md': 'b' });
    const note = defineResource({ uri: 'note://1', name: 'one', read: () => 'hello' });
    const features = [skills(root, { watch: false }), resources({ resources: [note] })];
    const client = connectInMemory(createServer({ name: 's', version: '1', features }));
    onTestFinished(() => client.close());
    expect(await client.requestModern('resources/list')).toMatchObject({
      resources: [
        { uri: 'skill://a/SKILL.md', name: 'a', description: 'Does a', mimeType: 'text/markdown' },
        { uri: 'note://1', name: 'one' },
      ],
    });
    for (const uri of ['skill://a/b.md', 'note://1']) {
      const read = client.requestModern('resources/read', { uri });
      expect(await read).toMatchObject({ contents: [{ uri }] });
    }
  });

  test('has folders that list what is directly in them', async () => {
    await write({
      'acme/refunds/SKILL.md': instructions('refunds'),
      'acme/refunds/templates/eu/a b.md': 'x',
      'other/notes.md': 'no skill',
    });
    const client = serve();
    const read = (uri: string): Promise<unknown> =>
      client.requestModern('resources/directory/read', { uri });
    const folder = (uri: string, name: string): object => ({
      uri,
      name,
      mimeType: 'inode/directory',
    });
    expect(await read('skill://acme')).toMatchObject({
      resources: [folder('skill://acme/refunds', 'refunds')],
    });
    expect(await read('skill://acme/refunds')).toMatchObject({
      resources: [
        folder('skill://acme/refunds/templates', 'templates'),
        { uri: 'skill://acme/refunds/SKILL.md', name: 'refunds', mimeType: 'text/markdown' },
      ],
    });
    expect(await read('skill://acme/refunds/templates/eu')).toMatchObject({
      resources: [{ uri: 'skill://acme/refunds/templates/eu/a%20b.md', name: 'a b.md', size: 1 }],
    });
    for (const uri of ['skill://other', 'skill://acme/refunds/SKILL.md', 'skill://', 'x']) {
      await expect(read(uri)).rejects.toMatchObject({ code: -32602 });
    }
  });

  test('may have skills in skills, whose files belong to both', async () => {
    await write({ 'a/SKILL.md': instructions('a'), 'a/b/SKILL.md': instructions('b') });
    const [outer, inner] = await listed(serve());
    expect(outer).toMatchObject({
      resources: [{ uri: 'skill://a/SKILL.md' }, { uri: 'skill://a/b/SKILL.md' }],
    });
    expect(inner).toMatchObject({
      uri: 'skill://a/b/SKILL.md',
      resources: [{ uri: 'skill://a/b/SKILL.md' }],
    });
  });

  test('may be a skill itself', async () => {
    await write({ 'own/SKILL.md': instructions('own') });
    const [skill] = await listed(serve(skills(path.join(root, 'own'), { watch: false })));
    expect(skill?.uri).toBe('skill://own/SKILL.md');
  });

  test('has to be there', () => {
    expect(() => skills(path.join(root, 'missing'))).toThrow('there is no folder');
  });
});

describe('a skill is not served, and why is said, when', () => {
  test.each([
    ['its name is another than its folder', { 'a/SKILL.md': instructions('b') }, 'its folder "a"'],
    ['it has no frontmatter', { 'a/SKILL.md': 'Do this.' }, 'no frontmatter'],
    ['its frontmatter is no YAML', { 'a/SKILL.md': '---\nname: [\n---\n' }, 'cannot be read'],
    ['it has no description', { 'a/SKILL.md': '---\nname: a\n---\n' }, 'no description'],
    ['its name has other letters', { 'A_/SKILL.md': instructions('A_') }, 'single hyphens'],
    [
      'JSON has no words for its frontmatter',
      { 'a/SKILL.md': instructions('a', 'much: .inf\n') },
      'JSON',
    ],
    [
      'it has more than 512 files',
      {
        'a/SKILL.md': instructions('a'),
        ...Object.fromEntries(Array.from({ length: 512 }, (_, at) => [`a/${at}.md`, ''])),
      },
      '513 files',
    ],
  ])('%s', async (_, files, why) => {
    await write(files);
    await write({ 'fine/SKILL.md': instructions('fine') });
    const set = skills(root, { watch: false });
    expect((await set.look()).faults.map(({ what }) => what)).toEqual([
      expect.stringContaining(why) as string,
    ]);
    const uris = (await listed(serve(set))).map(({ uri }) => uri);
    expect(uris).toEqual(['skill://fine/SKILL.md']);
  });

  test('it is larger than 16 MiB; and up to there it is served, and read', async () => {
    const text = instructions('a');
    await write({ 'a/SKILL.md': text, 'a/large.bin': '' });
    const large = path.join(root, 'a/large.bin');
    await truncate(large, 16 * 1024 * 1024 - text.length);
    const set = skills(root, { watch: false });
    const client = serve(set);
    const [skill] = await listed(client);
    expect(skill?.resources).toHaveLength(2);
    await truncate(large, 16 * 1024 * 1024 - text.length + 1);
    expect(await listed(client)).toEqual([]);
    expect((await set.look()).faults).toMatchObject([
      { path: 'a', what: expect.stringContaining('bytes') },
    ]);
  });

  test.runIf(process.platform !== 'win32')('a link leads out of the folder', async () => {
    const secret = await mkdtemp(path.join(tmpdir(), 'mcp-kit-secret-'));
    onTestFinished(() => rm(secret, { recursive: true, force: true }));
    await writeFile(path.join(secret, 'key'), 'secret');
    for (const name of ['file', 'folder', 'gone']) {
      await write({ [`${name}/SKILL.md`]: instructions(name) });
    }
    await symlink(path.join(secret, 'key'), path.join(root, 'file/key'));
    await symlink(secret, path.join(root, 'folder/all'));
    await symlink(path.join(secret, 'missing'), path.join(root, 'gone/key'));
    await write({ 'near/SKILL.md': instructions('near'), 'shared.md': 'shared' });
    await symlink('../shared.md', path.join(root, 'near/shared.md'));
    const client = serve();
    expect((await listed(client)).map(({ uri }) => uri)).toEqual(['skill://near/SKILL.md']);
    for (const uri of ['skill://file/key', 'skill://folder/all/key', 'skill://gone/key']) {
      const reading = client.requestModern('resources/read', { uri });
      await expect(reading).rejects.toMatchObject({ code: -32602 });
    }
    const uri = 'skill://near/shared.md';
    expect(await client.requestModern('resources/read', { uri })).toMatchObject({
      contents: [{ text: 'shared' }],
    });
  });
});

describe('a folder that changes', () => {
  test('is listed as it is when somebody asks', async () => {
    await write({ 'a/SKILL.md': instructions('a') });
    const client = serve();
    expect(await listed(client)).toHaveLength(1);
    await write({ 'a/more.md': 'more', 'b/SKILL.md': instructions('b') });
    const [first, ...others] = await listed(client);
    expect(first?.resources).toHaveLength(2);
    expect(others).toHaveLength(1);
    await rm(path.join(root, 'a'), { recursive: true });
    expect((await listed(client)).map(({ uri }) => uri)).toEqual(['skill://b/SKILL.md']);
    await rm(root, { recursive: true });
    expect(await listed(client)).toEqual([]);
  });

  test('gives what is listed now: a file that was changed is read as it was not listed before', async () => {
    await write({ 'a/SKILL.md': instructions('a'), 'a/b.md': 'old' });
    const client = serve();
    await listed(client);
    await write({ 'a/b.md': 'new' });
    const read = await client.requestModern('resources/read', { uri: 'skill://a/b.md' });
    expect(read).toMatchObject({ contents: [{ text: 'new' }] });
    const [skill] = await listed(client);
    expect(skill?.resources).toContainEqual({
      uri: 'skill://a/b.md',
      digest: digest('new'),
      size: 3,
    });
  });

  test('never has a digest of other bytes than a file had, whatever is written meanwhile', async () => {
    await write({ 'a/SKILL.md': instructions('a') });
    const sizes = new Map<string, number>();
    const file = path.join(root, 'a/data.bin');
    const put = async (): Promise<void> => {
      const bytes = randomBytes(1 + Math.floor(Math.random() * 100_000));
      sizes.set(digest(bytes), bytes.length);
      await writeFile(`${file}.tmp`, bytes);
      await rename(`${file}.tmp`, path.join(root, 'a/data.bin'));
    };
    await put();
    const client = serve();
    expect(await listed(client)).toHaveLength(1);
    const over = new AbortController();
    const writing = (async () => {
      while (!over.signal.aborted) await put();
    })();
    const uri = 'skill://a/data.bin';
    for (let turn = 0; turn < 25; turn += 1) {
      const [skill] = await listed(client);
      const all = skill?.resources as Exclude<Skill['resources'], 'dynamic'>;
      const promised = all.filter((one) => one.uri === uri).map((one) => [one.digest, one.size]);
      const had = promised.map(([given]) => [given, sizes.get(String(given))]);
      expect(promised).toEqual(had);
      const read = client.requestModern('resources/read', { uri });
      const { contents } = (await read.catch(() => ({ contents: [] }))) as {
        contents: readonly { blob?: string; text?: string }[];
      };
      const bytes = contents.map(({ blob, text = '' }) =>
        blob === undefined ? Buffer.from(text) : Buffer.from(blob, 'base64'),
      );
      expect(bytes.map((one) => sizes.get(digest(one)))).toEqual(bytes.map((one) => one.length));
    }
    over.abort();
    await writing;
    const [last] = await listed(client);
    expect(last?.resources).toHaveLength(2);
  });

  test('tells its clients, also when nobody asks', async () => {
    await write({ 'a/SKILL.md': instructions('a'), 'a/b.md': 'old' });
    const client = serve(skills(root));
    await client.initialize();
    await client.request('resources/subscribe', { uri: 'skill://a/b.md' });
    await client.request('skills/list');
    expect(client.notifications).toEqual([]);
    await write({ 'a/b.md': 'new' });
    const methods = (): readonly string[] => client.notifications.map(({ method }) => method);
    await expect
      .poll(methods)
      .toEqual(['notifications/resources/updated', 'notifications/resources/list_changed']);
    expect(client.notifications[0]?.params).toEqual({ uri: 'skill://a/b.md' });
    // In a folder that was not there when the watching began.
    await write({ 'c/deep/er/SKILL.md': instructions('er') });
    await expect.poll(methods).toHaveLength(3);
    await write({ 'c/deep/er/more.md': 'more' });
    await expect.poll(methods).toHaveLength(4);
  });
});
