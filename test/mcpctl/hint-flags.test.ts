import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { inFlags } from '../../packages/mcpctl/src/flags.ts';
import { root } from '../support/child-process.ts';

/** Layers whose failures users of the command line meet; the others are for those who write servers. */
const layers = ['auth', 'bridge', 'client', 'jsonrpc', 'protocol', 'transport'].map(
  (layer) => `packages/mcp-kit/src/${layer}`,
);
const folders = [...layers, 'packages/host/src/manager'];

/** Every hint that the library has, as it is written. */
function hints(): readonly string[] {
  const sources = folders.flatMap((folder) => {
    const files = readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' });
    return files.map((file) => path.join(root, folder, file));
  });
  return sources
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .flatMap((file) => {
      const source = readFileSync(file, 'utf8');
      const found = source.matchAll(/\bhint\s*(?:=|:)[^;,'`]*?(['`])((?:(?!\1)[^\\]|\\.)*)\1/g);
      return [...found].map(([, , hint = '']) => hint);
    });
}

/** Names of fields that are the same in the file of a server, where users write them. */
const inFiles = /\boauth\.clientId\b/g;
/** Said of settings that the command line does not have, so it never says them. */
const neverSaid = /versionCheck|follows from protocolVersion|qualifiedName/;

test('hints of the library that name its fields name options on the command line', () => {
  const all = hints();
  expect(all.length).toBeGreaterThan(60);
  const fields = all
    .filter((hint) => !neverSaid.test(hint))
    .map((hint) =>
      inFlags(hint)
        .replaceAll(/\$\{[^}]*\}/g, '')
        .replaceAll(inFiles, ''),
    )
    .filter((hint) => /\b[a-z]+[A-Z][a-z]\w*\b|\blimits\./.test(hint));
  expect(fields).toEqual([]);
});
