// Three processes at a time write into one folder and are killed: 3,000 in all, 300 where FAULT_SHARE is 0.1.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { killWriters } from '../faults/lib/store-writers.ts';
import { requireBuild } from '../support/cli.ts';
import { scaled } from '../support/scale.ts';

beforeAll(requireBuild);

test('a store in a folder loses nothing that was acknowledged, whenever a process is killed', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'store-file-'));
  try {
    await expect(killWriters(folder, scaled(3000))).resolves.toBeUndefined();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 3_600_000);
