import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { requireBuild } from '../support/cli.ts';
import { longMs, scaled } from '../support/scale.ts';
import { killTaskServers } from './lib/killed-tasks.ts';

beforeAll(requireBuild);

// All thousand of them are killed in `npm run chaos`.
test(
  'tasks of a server that is killed come to an end, and say what they did',
  async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-tasks-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const count = scaled(1000);
    const { begun, done, unknown } = await killTaskServers(folder, count);
    expect(begun).toBeGreaterThanOrEqual(count);
    expect(done + unknown).toBe(begun);
  },
  longMs,
);
