import { isRecord } from 'mcp-kit/internal';
import { expect, test } from 'vitest';
import { settingsSchema } from '../../packages/host/src/operate/settings-schema.ts';
import { serveOptions } from '../../packages/mcpctl/src/serve/options.ts';
import { read, tableOf } from '../support/markdown.ts';
import { operating } from './fixture.ts';

const page = read('docs/operate.md');

/** The names of all settings, with dots. */
function namesIn(schema: unknown, prefix = ''): string[] {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  if (!isRecord(properties)) return [prefix];
  return Object.entries(properties).flatMap(([name, inner]) =>
    namesIn(inner, prefix === '' ? name : `${prefix}.${name}`),
  );
}

test('docs/operate.md lists every setting, and the option that says the same', () => {
  const table = tableOf(page, 'setting');
  expect(table.map(([name]) => name)).toEqual(namesIn(settingsSchema));
  const named = new Set(table.map(([, option = '']) => option).filter((option) => option !== ''));
  const about = [
    '--stdio',
    '--unix',
    '--profile',
    '--governed',
    '--config',
    '--new-api-key',
    '--workers',
    '--json',
    '--quiet',
  ];
  const options = Object.keys(serveOptions).map((name) => `--${name}`);
  expect([...named].sort()).toEqual(options.filter((name) => !about.includes(name)).sort());
});

test('docs/operate.md lists every metric', async () => {
  await using server = await operating({});
  const shown = [...server.metrics().matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [
    name,
    type,
  ]);
  const listed = tableOf(page, 'metric').map(([name, type]) => [name, type]);
  expect(new Set(listed.map(String))).toEqual(new Set(shown.map(String)));
});
