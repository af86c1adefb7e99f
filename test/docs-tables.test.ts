import { readdirSync } from 'node:fs';
import path from 'node:path';
import { httpStatusOf, isRecord, kitErrorCodes, silentLogger } from 'mcp-kit/internal';
import { defaultLimits, rpcErrors } from 'mcp-kit/jsonrpc';
import { Manager } from '@mcp-kit/host';
import { mcpErrors } from 'mcp-kit/protocol';
import { Context } from 'mcp-kit/server';
import { failureCodes } from 'mcp-kit/tools';
import { layerOrder } from 'mcp-kit/tools/governed';
import { lintRules, skillRules } from 'mcp-kit/tools/inspect';
import { createEndpoint, profiles } from 'mcp-kit/transport/http';
import { describe, expect, test } from 'vitest';
import { createSampleServer } from '../packages/mcpctl/src/samples/server.ts';
import { skillHosts } from '../packages/mcpctl/src/skills/folders.ts';
import { isThere, read, tableOf } from './support/markdown.ts';

const errors = read('docs/errors.md');

test('docs/errors.md explains every code of KitError', () => {
  const table = tableOf(errors.slice(errors.indexOf('## KitError')), 'code');
  expect(Object.fromEntries(table.map(([code, meaning]) => [code, meaning]))).toEqual(
    kitErrorCodes,
  );
  for (const [, , advice] of table) expect(advice).not.toBe('');
});

test('docs/errors.md lists every JSON-RPC code, with the status of those that have one', () => {
  const table = tableOf(errors.slice(errors.indexOf('## JSON-RPC codes')), 'code');
  const listed = table.map(([code, name]) => [name, Number(code)]);
  expect(Object.fromEntries(listed)).toEqual({ ...rpcErrors, ...mcpErrors });
  const special = table.filter(([code]) => httpStatusOf(Number(code)) !== 200);
  expect(special.map(([code, , , status]) => [code, status])).toEqual(
    special.map(([code]) => [code, String(httpStatusOf(Number(code)))]),
  );
});

test('docs/errors.md and docs/server.md list every failure code of tools', () => {
  const table = tableOf(errors.slice(errors.indexOf('## Failures of tools')), 'code');
  const listed = table.map(([code, , retryable]) => [code, { retryable: retryable === 'yes' }]);
  expect(Object.fromEntries(listed)).toEqual(failureCodes);
  const guide = tableOf(read('docs/server.md'), 'code').map(([code]) => code);
  expect(new Set(guide)).toEqual(new Set(Object.keys(failureCodes)));
});

test('docs/server.md describes every member of the context', () => {
  const table = tableOf(read('docs/server.md'), 'member');
  const described = table.map(([member = '']) => member.replace(/\(.*/, ''));
  const members = Object.getOwnPropertyNames(Context.prototype).filter(
    (name) => name !== 'constructor',
  );
  expect(new Set(described)).toEqual(new Set(['client', ...members]));
});

test('docs/tools.md has the layers in their order', () => {
  expect(tableOf(read('docs/tools.md'), 'layer').map(([layer]) => layer)).toEqual(layerOrder);
});

test('docs/lint.md explains every rule', () => {
  const table = tableOf(read('docs/lint.md'), 'rule');
  const plain = (text: string): string => text.replaceAll('`', '');
  expect(table.map(([rule, level, demand]) => [rule, level, demand])).toEqual(
    Object.entries(lintRules).map(([rule, { level, demand }]) => [rule, level, plain(demand)]),
  );
  for (const [, , , why] of table) expect(why).toMatch(/\.$/);
});

test('docs/lint.md explains every rule for skills, and docs/skills.md every folder of a host', () => {
  const page = read('docs/lint.md');
  const rules = tableOf(page.slice(page.indexOf('## Skills')), 'rule');
  expect(rules.map(([rule, level, demand]) => [rule, level, demand])).toEqual(
    Object.entries(skillRules).map(([rule, { level, demand }]) => [rule, level, demand]),
  );
  const folders = tableOf(read('docs/skills.md'), '`--host`');
  expect(
    folders.map(([host = '', project, user]) => [host.split(',', 1)[0], project, user]),
  ).toEqual(
    Object.entries(skillHosts).map(([host, { project, user }]) => [host, project, `~/${user}`]),
  );
});

test('docs/manager.md tells of every member of the manager, and of nothing that is not there', () => {
  const page = read('docs/manager.md');
  const cells = tableOf(page, 'member').map(([member = '']) => member);
  const told = cells.flatMap((cell) => cell.split(', ').map((name) => name.replace(/\(.*/, '')));
  const shown = [...page.matchAll(/manager\.(\w+)\(/g)].map(([, name = '']) => name);
  const given = [...page.matchAll(/`(connect\w+)\(name/g)].map(([, name = '']) => name);
  const members = Object.getOwnPropertyNames(Manager.prototype).filter(
    (name) => name !== 'constructor',
  );
  expect(new Set([...told, ...shown, ...given])).toEqual(new Set(members));
});

test('docs/http.md shows every switch of every profile', () => {
  const table = tableOf(read('docs/http.md'), 'switch');
  const shown = Object.fromEntries(table.map(([name, ...values]) => [name, values.slice(0, 3)]));
  const all = [profiles.spec, profiles.v2, profiles['2025-06-18']].map((profile) => {
    const { heartbeat, ...switches } = profile;
    const { comment, everyMs } = heartbeat;
    return { ...switches, 'heartbeat.comment': comment, 'heartbeat.everyMs': everyMs };
  });
  const [spec] = all;
  const actual = Object.keys(spec ?? {}).map((name) => [
    name,
    all.map((profile) => String(Reflect.get(profile, name))),
  ]);
  expect(shown).toEqual(Object.fromEntries(actual));
});

test('every public export has a sentence that says what it is', () => {
  const reports = readdirSync(path.join(import.meta.dirname, '../etc'));
  expect(reports.length).toBeGreaterThan(20);
  const bare = reports.flatMap((report) =>
    [...read(`etc/${report}`).matchAll(/@public \(undocumented\)\n(export .*)/g)].map(
      ([, declaration]) => `${report}: ${declaration}`,
    ),
  );
  expect(bare).toEqual([]);
});

test('README.md lists every public entry of the libraries', () => {
  const unlisted = ['./internal', './package.json'];
  const entriesOf = (folder: string, name: string): string[] => {
    const manifest = JSON.parse(read(`packages/${folder}/package.json`)) as { exports: object };
    const entries = Object.keys(manifest.exports).filter((entry) => !unlisted.includes(entry));
    return entries.map((entry) => entry.replace('.', name));
  };
  const listed = tableOf(read('README.md'), 'entry').map(([entry]) => entry);
  const libraries = [...entriesOf('mcp-kit', 'mcp-kit'), ...entriesOf('host', '@mcp-kit/host')];
  const expected = [
    ...libraries,
    '@mcp-kit/store-file',
    '@mcp-kit/store-redis',
    '@mcp-kit/cocos',
    '@mcp-kit/console',
    'mcpctl',
  ];
  expect(new Set(listed)).toEqual(new Set(expected));
});

test('ARCHITECTURE.md names the dependencies of the packages', () => {
  const table = tableOf(read('ARCHITECTURE.md'), 'package');
  for (const [name = '', , dependencies = ''] of table) {
    const folder = name.replace('@mcp-kit/', '');
    const manifest: unknown = JSON.parse(read(`packages/${folder}/package.json`));
    const { dependencies: needed, optionalDependencies: optional } = Object(manifest);
    const actual = { ...needed, ...optional };
    const [named = ''] = dependencies.split(':');
    expect(named).toBe(Object.keys(actual).join(', ') || 'none');
  }
});

test('docs/http.md tells the limits as they are', async () => {
  const told = new Map(tableOf(read('docs/http.md'), 'what').map(([what, value]) => [what, value]));
  const { limits, close } = createEndpoint(
    createSampleServer({ contract: 'plain', logger: silentLogger }),
  );
  await close();
  const mebibytes = (bytes: number): string => `${bytes / 1024 / 1024} MiB`;
  const spaced = (count: number): string => count.toLocaleString('en').replaceAll(',', ' ');
  const line = `${mebibytes(defaultLimits.maxBytes - 64 * 1024)}, and 64 KiB around what it carries`;
  expect(told.get('line on stdio or a socket')).toBe(line);
  expect(told.get('body')).toBe(mebibytes(limits.maxBytes));
  expect(told.get('nesting')).toBe(String(limits.maxDepth));
  expect(told.get('elements, and twice the members')).toBe(spaced(limits.maxElements));
});

test('docs/cocos.md lists every entry of the pack', () => {
  const manifest: unknown = JSON.parse(read('packages/cocos/package.json'));
  const exported = isRecord(manifest) && isRecord(manifest['exports']) ? manifest['exports'] : {};
  // What has no types is for this repository, and does not exist in what is published.
  const entries = Object.entries(exported).filter(([, to]) => isRecord(to) && 'types' in to);
  const listed = tableOf(read('docs/cocos.md'), 'entry').map(([entry]) => entry);
  expect(listed).toEqual(entries.map(([entry]) => entry.replace('.', '@mcp-kit/cocos')));
});

describe('ARCHITECTURE.md', () => {
  const architecture = read('ARCHITECTURE.md');
  const changes = tableOf(architecture, 'to add');

  test('is one page', () => {
    expect(architecture.trimEnd().split('\n').length).toBeLessThanOrEqual(200);
  });

  test('says where each of the usual changes is made', () => {
    const usual =
      'a method, an error code, a session TTL, a store, a rate-limit key, a grant, a dialect, ' +
      'a CLI option, a Cocos component, an edit, a validator rule, a heartbeat, a profile switch, ' +
      'a layer, a transport, a policy rule, a metric, a log field, a doctor check, a lint rule';
    const told = changes.map(([change]) => change);
    expect(usual.split(', ').filter((change) => !told.includes(change))).toEqual([]);
  });

  test.each(changes)(
    '%s: at most three files or folders, and all are there',
    (change, cell = '') => {
      const places = cell.split(', ');
      const missing = places.filter((place) => !isThere(place));
      expect({ change, missing }, `mend the row "${change}" of ARCHITECTURE.md`).toEqual({
        change,
        missing: [],
      });
      expect(places.length, `the row "${change}" names ${cell}`).toBeLessThanOrEqual(3);
    },
  );
});
