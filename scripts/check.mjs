// Runs every gate that a change must pass besides the tests, and sums up.
import path from 'node:path';
import { run } from './child.mjs';
import { main, prepare, root } from './prepare.mjs';

const bin = (file, ...args) => [path.join(root, 'node_modules', file), ...args];
const gates = {
  build: bin('typescript/bin/tsc', '-b'),
  'types of tests': bin('typescript/bin/tsc', '-p', 'tsconfig.test.json'),
  lint: bin('oxlint/bin/oxlint'),
  format: bin('oxfmt/bin/oxfmt', '--check'),
  'unused code': bin('knip/bin/knip.js', '--no-config-hints'),
  'command reference': ['scripts/mcpctl-docs.mjs', '--check'],
  'Cocos reference': ['scripts/cocos-docs.mjs', '--check'],
  'picture of the gateway': ['scripts/gateway-picture.mjs', '--check'],
  'API reports': ['scripts/api.mjs', '--check'],
  'package mcp-kit': bin('publint/src/cli.js', 'packages/mcp-kit', '--strict'),
  'package store-file': bin('publint/src/cli.js', 'packages/store-file', '--strict'),
  'package store-redis': bin('publint/src/cli.js', 'packages/store-redis', '--strict'),
  'package host': bin('publint/src/cli.js', 'packages/host', '--strict'),
  'package console': bin('publint/src/cli.js', 'packages/console', '--strict'),
  'package cocos': bin('publint/src/cli.js', 'packages/cocos', '--strict'),
  'package mcpctl': bin('publint/src/cli.js', 'packages/mcpctl', '--strict'),
  'package create-mcp-kit': bin('publint/src/cli.js', 'packages/create-mcp-kit', '--strict'),
  layers: bin('vitest/vitest.mjs', 'run', 'test/layers.test.ts'),
};

async function passes(name, args) {
  const started = performance.now();
  const { code, output } = await run(process.execPath, args, { cwd: root, quiet: true });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`);
  if (code !== 0) console.log(output.trimEnd().replaceAll(/^/gm, '     '));
  return code === 0;
}

await main(async () => {
  await prepare({ dev: true });
  const failed = [];
  for (const [name, args] of Object.entries(gates)) {
    if (!(await passes(name, args))) failed.push(name);
  }
  console.log(failed.length === 0 ? 'All gates passed.' : `Failed: ${failed.join(', ')}.`);
  return failed.length === 0 ? 0 : 1;
});
