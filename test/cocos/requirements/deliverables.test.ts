import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { cocosTools } from '@mcp-kit/cocos/tools';
import { describe, expect, test } from 'vitest';
import { measuredCalls, targets } from '../../../bench/lib/cocos/calls.mjs';
import { root } from '../../support/child-process.ts';
import { CocosWorld } from '../../support/cocos/world.ts';

const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const examples = readdirSync(path.join(root, 'examples/cocos')).filter((name) =>
  name.endsWith('.mjs'),
);

test('Reads, writes and workflows are measured against 200, 500 and 1500 ms', () => {
  expect(targets).toEqual({ read: 200, write: 500, workflow: 1500 });
});

test('Twenty core tools that are used much are measured', async () => {
  await using world = new CocosWorld();
  const core = cocosTools(world.backend)
    .manifests()
    .filter(({ layer }) => layer === 'core')
    .map(({ name }) => name);
  const measured = measuredCalls(world.folder).map(({ tool }) => tool);
  expect(measured.filter((tool) => core.includes(tool)).length).toBeGreaterThanOrEqual(20);
  expect(new Set(measured).size).toBe(measured.length);
});

test('Ten examples and more are run from the first call to the files that are left', () => {
  const chains = read('test/cocos/chains.test.ts');
  expect(examples.length).toBeGreaterThanOrEqual(10);
  expect(examples.filter((name) => !chains.includes(`'${name}'`))).toEqual([]);
});

describe('The reports', () => {
  test.each([
    ['cocos-tests.md', 'npm run report'],
    ['cocos-requirements.md', 'npm run report'],
    ['cocos-performance.md', 'node bench/cocos.mjs'],
    ['public-projects.md', 'npm run public-projects'],
  ])('%s is there, and says that %s writes it', (name, command) => {
    const page = read(`docs/reports/${name}`);
    expect(page).toContain(`Written by \`${command}`);
    expect(read('docs/cocos.md')).toContain(`(reports/${name})`);
  });

  test('name neither machine nor place', () => {
    for (const name of readdirSync(path.join(root, 'docs/reports'))) {
      const page = read(`docs/reports/${name}`);
      expect(page).not.toMatch(/(^|[\s`("'])\/(home|root|tmp|work|Users)\//m);
      expect(page).not.toMatch(/localhost|127\.0\.0\.1/);
    }
  });
});

test('The release notes say what breaks: of the protocol and of tools', () => {
  const notes = read('CHANGELOG.md');
  const breaking = notes.slice(
    notes.indexOf('### For users of earlier Cocos servers: what breaks'),
  );
  expect(breaking).toContain('Protocol:');
  expect(breaking).toContain('Tools:');
});
