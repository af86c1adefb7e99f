import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSession, textOf } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { expect, test } from 'vitest';
import { Child, root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';

// Next is 340 MB and takes a minute to build an application, so it is installed here and not beside the other peers.
const versions = ['next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'];

async function run(cwd: string, ...line: readonly [string, ...string[]]): Promise<void> {
  const [command, ...args] = line;
  await using child = new Child(command, args, { cwd, env: environment });
  const { code } = await child.ended;
  expect({ code, said: code === 0 ? '' : child.stdout + child.stderr }).toEqual({
    code: 0,
    said: '',
  });
}

const environment = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', NODE_ENV: 'production' };

test('an application of Next serves the recipe in both eras', async () => {
  requireBuild();
  const app = await mkdtemp(path.join(tmpdir(), 'mcp-kit-next-'));
  try {
    await writeFile(path.join(app, 'package.json'), '{ "private": true, "type": "module" }');
    await run(app, 'npm', 'pack', path.join(root, 'packages/mcp-kit'), '--ignore-scripts');
    const packed = (await readdir(app)).filter((name) => name.endsWith('.tgz'));
    const quiet = ['--no-audit', '--no-fund', '--ignore-scripts'];
    await run(app, 'npm', 'install', ...quiet, ...packed.map((name) => `./${name}`), ...versions);
    const route = path.join(app, 'app/mcp');
    await mkdir(route, { recursive: true });
    const recipes = path.join(root, 'peers/recipes');
    await cp(path.join(recipes, 'next-route.mjs'), path.join(route, 'route.js'));
    await cp(path.join(recipes, 'tools.mjs'), path.join(route, 'tools.mjs'));
    const next = path.join(app, 'node_modules/next/dist/bin/next');
    await run(app, process.execPath, next, 'build');
    const options = { cwd: app, env: environment };
    await using served = new Child(
      process.execPath,
      [next, 'start', '-H', '127.0.0.1', '-p', '0'],
      options,
    );
    const origin = await served.until(() => {
      return /ready/i.test(served.stdout) ? /http:\/\/127\S+/.exec(served.stdout)?.[0] : undefined;
    });
    for (const era of ['legacy', 'modern'] as const) {
      const target = httpTarget(`${origin}/mcp`);
      await using session = await openSession(target, { era, onNotification: () => {} });
      expect(textOf(await session.callTool('get_text_hello'))).toBe('Hello.');
    }
    served.process.kill('SIGTERM');
    await served.ended;
  } finally {
    await rm(app, { recursive: true, force: true, maxRetries: 5 });
  }
});
