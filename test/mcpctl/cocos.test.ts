import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { readImage } from '@mcp-kit/cocos/images';
import { openSession } from 'mcp-kit/client';
import { childTarget } from 'mcp-kit/transport/child-process';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Child, mcpctl, root as repository } from '../support/child-process.ts';
import { announcementOf, requireBuild } from '../support/cli.ts';
import { FreshUser } from '../support/fresh-user.ts';
import { Project, type Finished } from '../support/project.ts';

beforeAll(requireBuild);

const sample = path.join(repository, 'packages/cocos/sample');

const place = new Project();
afterAll(() => place[Symbol.dispose]());

const run = (...args: readonly string[]): Promise<Finished> => place.run('cocos', ...args);

/** A project with one scene, whose Canvas lists a child that is not there. */
function brokenProject(user: FreshUser): string {
  const folder = path.join(user.project.folder, 'broken');
  mkdirSync(path.join(folder, 'assets'), { recursive: true });
  const manifest = { name: 'broken', creator: { version: '3.8.6' } };
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest));
  const scene = path.join(sample, 'assets/scenes/menu.scene');
  const objects = JSON.parse(readFileSync(scene, 'utf8')) as Record<string, unknown>[];
  const canvas = objects.find((each) => each['_name'] === 'Canvas');
  Object.assign(canvas ?? {}, { _children: [{ __id__: 99_999 }] });
  writeFileSync(path.join(folder, 'assets/menu.scene'), JSON.stringify(objects, null, 2));
  const meta = readFileSync(`${scene}.meta`);
  writeFileSync(path.join(folder, 'assets/menu.scene.meta'), meta);
  return folder;
}

describe('mcpctl cocos validate', () => {
  test('ends with 0 where nothing is wrong', async () => {
    const { code, stdout, stderr } = await run('validate', sample);
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toBe('mcpctl: 0 errors, 0 warnings, 0 to know in 5 files\n');
  });

  test('ends with 1 where there are errors, and says where and what to do', async () => {
    using user = new FreshUser();
    const { code, stdout, stderr } = await run('validate', brokenProject(user));
    expect(code).toBe(1);
    expect(stdout).toMatch(/^assets\/menu\.scene\n {2}error: /);
    expect(stdout).toContain('(danglingId)');
    expect(stdout).toMatch(/:\d+ Canvas/);
    expect(stderr).toMatch(/\d+ errors?, \d+ warnings?, \d+ to know in 1 file\n$/);
  });

  test('looks at one file where one is named', async () => {
    const scene = path.join(sample, 'assets/scenes/menu.scene');
    const { code, stderr } = await run('validate', scene);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'mcpctl: 0 errors, 0 warnings, 0 to know in 1 file\n',
    });
  });

  test('prints JSON, and SARIF, of the same findings', async () => {
    using user = new FreshUser();
    const folder = brokenProject(user);
    const json = await run('validate', folder, '--json');
    const { counts, findings } = JSON.parse(json.stdout) as {
      counts: { error: number };
      findings: { code: string; pointer: string }[];
    };
    expect(counts.error).toBeGreaterThan(0);
    expect(findings.find(({ code }) => code === 'danglingId')?.pointer).toMatch(
      /^\/\d+\/_children/,
    );
    const sarif = await run('validate', folder, '--sarif');
    const { version, runs } = JSON.parse(sarif.stdout) as {
      version: string;
      runs: { results: { ruleId: string }[] }[];
    };
    expect(version).toBe('2.1.0');
    expect(runs[0]?.results.map(({ ruleId }) => ruleId)).toEqual(findings.map(({ code }) => code));
    expect([json.code, sarif.code]).toEqual([1, 1]);
  });

  test('fails for warnings only where they are limited', async () => {
    using user = new FreshUser();
    const folder = brokenProject(user);
    const scene = path.join(folder, 'assets/menu.scene');
    const [head, root] = JSON.parse(readFileSync(scene, 'utf8')) as Record<string, unknown>[];
    const empty = { _children: [null], _components: [], _prefab: null, _globals: null };
    writeFileSync(scene, JSON.stringify([head, { ...root, ...empty }], null, 2));
    expect((await run('validate', folder)).code).toBe(0);
    expect((await run('validate', folder, '--max-warnings', '0')).code).toBe(1);
  });

  test('is told apart from a wrong command line', async () => {
    using user = new FreshUser();
    const none = await run('validate', user.project.folder);
    expect(none.code).toBe(2);
    expect(none.stderr).toContain('is not in a Cocos Creator project');
    expect((await run('validate', sample, '--json', '--sarif')).code).toBe(2);
    expect((await run('validate', sample, '--max-warnings', 'few')).code).toBe(2);
  });
});

describe('mcpctl cocos render', () => {
  test('writes a picture to a file, or prints it', async () => {
    using user = new FreshUser();
    const out = path.join(user.project.folder, 'menu.svg');
    const scene = path.join(sample, 'assets/scenes/menu.scene');
    const written = await run('render', scene, '--out', out);
    expect(written).toMatchObject({ code: 0, stdout: '' });
    expect(written.stderr).toMatch(/drew \d+ nodes, 960 × 640, to /);
    const svg = readFileSync(out, 'utf8');
    expect(svg).toMatch(/^<svg .*Star Catcher.*<\/svg>\s*$/s);
    const address = 'db://assets/scenes/menu.scene';
    const printed = await run('render', address, '--project', sample, '--quiet');
    expect(printed).toEqual({ code: 0, stdout: svg.endsWith('\n') ? svg : `${svg}\n`, stderr: '' });
  });

  test('writes a PNG to a file that is named so', async () => {
    using user = new FreshUser();
    const out = path.join(user.project.folder, 'menu.png');
    const scene = path.join(sample, 'assets/scenes/menu.scene');
    const written = await run('render', scene, '--out', out, '--pixels', '240');
    expect(written).toMatchObject({ code: 0, stdout: '' });
    expect(readImage(readFileSync(out))).toMatchObject({ format: 'png', width: 240, height: 160 });
    for (const pixels of ['few', '0', '99999']) {
      expect((await run('render', scene, '--out', out, '--pixels', pixels)).code).toBe(2);
    }
  });

  test('says what it cannot draw', async () => {
    const script = path.join(sample, 'assets/scripts/menu-view.ts');
    expect((await run('render', script)).code).toBe(2);
    const scene = path.join(sample, 'assets/scenes/menu.scene');
    const node = await run('render', scene, '--node', 'Canvas/Nowhere');
    expect(node.code).toBe(2);
    expect(node.stderr).toContain('Nowhere');
    expect((await run('render', scene, '--background', 'pink')).code).toBe(2);
    for (const nothing of ['nothing.scene', 'db://assets/scenes/menu.scene']) {
      const { code, stderr } = await run('render', nothing);
      expect([code, stderr]).toEqual([2, expect.stringContaining(`there is no file ${nothing}`)]);
      expect(stderr).toContain('--project DIR');
    }
  });
});

describe('mcpctl cocos serve', () => {
  test('serves a project over stdio, core tools only unless more are wanted', async () => {
    using user = new FreshUser();
    const folder = path.join(user.project.folder, 'game');
    for (const [layers, count] of [
      [[], 39],
      [['--layer', 'core', '--layer', 'advanced'], 48],
    ] as const) {
      const args = [mcpctl, 'cocos', 'serve', '--sample', '--project', folder, ...layers];
      const session = await openSession(childTarget({ command: process.execPath, args }));
      const names: string[] = [];
      for await (const { name } of session.tools()) names.push(name);
      expect(names.includes('execute_prefab_unpack')).toBe(layers.length > 0);
      expect(names).toHaveLength(count);
      const { structuredContent } = await session.callTool('get_project_info');
      expect(structuredContent).toMatchObject({ success: true, data: { name: 'star-catcher' } });
      await session.close();
    }
    expect(existsSync(path.join(folder, 'assets/scenes/menu.scene'))).toBe(true);
  });

  test('lets images come from folders that are named', async () => {
    using user = new FreshUser();
    const folder = path.join(user.project.folder, 'game');
    const art = path.join(user.project.folder, 'art');
    mkdirSync(art);
    const star = path.join(art, 'star.png');
    copyFileSync(path.join(sample, 'assets/textures/star.png'), star);
    const image = { sourcePath: star, assetPath: 'assets/art/star.png' };
    for (const named of [[], ['--image-folder', folder, '--image-folder', art]]) {
      const args = [mcpctl, 'cocos', 'serve', '--sample', '--project', folder, ...named];
      const session = await openSession(childTarget({ command: process.execPath, args }));
      const { structuredContent } = await session.callTool('create_asset_image', image);
      expect(structuredContent).toMatchObject({ success: named.length > 0 });
      await session.close();
    }
  });

  test('serves over HTTP where that is said, says where, and takes its copy with it', async () => {
    await using child = Child.mcpctl('cocos', 'serve', '--sample', '--port', '0', '--json');
    const { url, project, config } = await announcementOf<{
      url: string;
      project: string;
      config: { mcpServers: Record<string, unknown> };
    }>(child);
    expect(Object.keys(config.mcpServers)).toEqual(['cocos']);
    expect(existsSync(path.join(project, 'assets'))).toBe(true);
    const session = await openSession(httpTarget(url));
    const { structuredContent } = await session.callTool('list_asset_files', { type: 'scene' });
    expect(structuredContent).toMatchObject({ data: { total: 2 } });
    await session.close();
    const { code } = await child.stop('SIGTERM');
    expect(code).toBe(0);
    expect(existsSync(project)).toBe(false);
  });

  test('names the folder and what to call on the terminal', async () => {
    await using child = Child.mcpctl('cocos', 'serve', '--sample', '--http', '--port', '0');
    await child.until(() => (child.stdout.includes('Ctrl-C') ? true : undefined));
    expect(child.stdout).toContain('Serving the Cocos Creator project star-catcher at http://');
    expect(child.stdout).toMatch(/^Project: .*\(a copy that goes when this ends/m);
    expect(child.stdout).toContain('get_project_info');
  });

  test('refuses what cannot be meant', async () => {
    using user = new FreshUser();
    const other = path.join(user.project.folder, 'other');
    mkdirSync(other);
    writeFileSync(path.join(other, 'notes.txt'), '');
    const results = await Promise.all([
      place.runApart('cocos', 'serve', '--project', other),
      place.runApart('cocos', 'serve', '--sample', '--project', other),
      place.runApart('cocos', 'serve', '--http', '--stdio'),
      place.runApart('cocos', 'serve', '--layer', 'secret'),
      place.runApart('cocos', 'serve', '--stdio', '--port', '1'),
      place.runApart('cocos', 'serve', '--sample', '--image-folder', path.join(other, 'none')),
    ]);
    expect(results.map(({ code }) => code)).toEqual([2, 2, 2, 2, 2, 2]);
    expect(results[1]?.stderr).toContain('neither empty nor a project');
  });
});
