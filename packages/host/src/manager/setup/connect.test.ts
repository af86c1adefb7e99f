import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { adHocEntry } from '../connect/ad-hoc.ts';
import { decodeDocument } from '../config/decode.ts';
import { detectDialects } from '../config/detect.ts';
import { dialectOf } from '../config/dialects/index.ts';
import type { ServerEntry } from '../config/entry.ts';
import { factsOf } from '../config/facts.ts';
import { parseDocument } from '../config/format/document.ts';
import { loadConfig } from '../config/load.ts';
import { applyConnection, connectable, hostFile, isInstalled, planConnection } from './connect.ts';
import { readConnections } from './connections.ts';
import { applyDisconnection, planDisconnection } from './disconnect.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-setup-'));
  await mkdir(path.join(folder, 'project'));
  await mkdir(path.join(folder, 'home'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const env = (): Record<string, string> => ({ HOME: path.join(folder, 'home') });
const surroundings = () => ({
  root: path.join(folder, 'project'),
  home: path.join(folder, 'home'),
  platform: 'linux' as const,
  env: {},
});

const entries: readonly ServerEntry[] = [
  adHocEntry({ command: 'npx', args: ['-y', 'files@1.0.0', '.'], env: { LEVEL: 'info' } }, 'files'),
  adHocEntry(
    { url: 'https://docs.example/mcp', headers: { 'X-Key': 'k' }, flavour: 'http' },
    'docs',
  ),
];

/** A file as somebody may have it: comments, odd spaces, members that nobody knows, and a server of their own. */
function sampleOf(dialectId: string): string {
  const { format, home } = dialectOf(dialectId as never);
  const open = home.map((key) => `"${key}" :  {`).join(' ');
  const theirs =
    dialectId === 'opencode'
      ? '"mine": { "type": "local", "command": [ "x" ],  "odd": 1 }'
      : '"mine": { "command": "x",  "odd": [1,2 ] }';
  if (format === 'toml') {
    return '# top\r\nmodel = "x" # why\r\n\r\n# mine\r\n[mcp_servers.mine]\r\ncommand = "x"\r\n\r\n# last\r\n[other]\r\na = 1';
  }
  if (format === 'yaml') {
    return `# top\nmodel: "x"   # why\n${home[0]}:\n    mine: # here\n        cmd: x\n        command: x\n        type: stdio\n    # after\n\nlast: [1,  2]\n`;
  }
  if (format === 'json') {
    return `\t{\n\t"odd":   {"a":1 ,"b": []},\n\t${open}\n\t\t${theirs}\n\t}${'}'.repeat(home.length - 1)}\n\n}`;
  }
  return `// top\n{\n    "odd":   {"a":1 ,"b": []}, /* in */\n    ${open} // servers\n      ${theirs}, // theirs\n    }${'}'.repeat(home.length - 1)} ,\n    // last\n}\n\n`;
}

const anywhere = { root: '/project', home: '/home', platform: 'linux' as const, env: {} };
const levels = connectable.flatMap((host) =>
  (['project', 'user'] as const)
    .filter((level) => host.where(anywhere).some(({ scope }) => scope === level))
    .map((level) => [host.id, level] as const),
);

async function plan(id: string, level: 'project' | 'user', given = entries) {
  const host = connectable.find((one) => one.id === id);
  const found = host && (await hostFile(host, level, surroundings()));
  if (host === undefined || found === undefined) return undefined;
  const connections = await readConnections(env());
  return planConnection(found, given, { root: surroundings().root, connections });
}

async function undo(): Promise<readonly string[]> {
  const hows: string[] = [];
  for (const connection of (await readConnections(env())).values()) {
    const undoing = await planDisconnection(connection, env());
    await applyDisconnection(undoing, env());
    hows.push(undoing.how);
  }
  return hows;
}

test('more than 31 hosts are known', () => {
  expect(connectable.length).toBeGreaterThanOrEqual(31);
  expect(new Set(connectable.map(({ id }) => id)).size).toBe(connectable.length);
});

describe.each(levels)('%s, in the file of the %s', (id, level) => {
  test('is connected as it reads it, and disconnected to the byte', async () => {
    const host = connectable.find((one) => one.id === id);
    const found = host && (await hostFile(host, level, surroundings()));
    if (host === undefined || found === undefined) throw new Error('no file');
    const bytes = Buffer.from(sampleOf(host.dialect));
    await mkdir(path.dirname(found.file), { recursive: true });
    await writeFile(found.file, bytes);
    const connecting = await plan(id, level);
    if (connecting === undefined) throw new Error('no plan');
    expect(connecting.kept).toEqual([]);
    await applyConnection(connecting, env());
    const text = await readFile(found.file, 'utf8');
    const dialect = dialectOf(host.dialect);
    const document = await parseDocument(text, found.file, dialect.format);
    expect(detectDialects(found.file, document)[0]?.id).toBe(host.dialect);
    const source = { file: found.file, scope: level, rank: 0 };
    const read = decodeDocument(document, dialect, source);
    expect(read.errors).toEqual([]);
    const refused = connecting.lost
      .filter(({ field }) => field === 'transport')
      .map(({ server }) => server);
    const said = (entry: ServerEntry): object => ({
      ...factsOf(entry),
      kind: factsOf(entry).kind?.replace('auto', 'http'),
    });
    const there = read.entries
      .filter(({ entry }) => entry.name !== 'mine')
      .map(({ entry }) => said(entry));
    expect(there).toEqual(
      entries.filter(({ name }) => !refused.includes(name)).map((entry) => said(entry)),
    );
    expect(await undo()).toEqual(['restored']);
    expect(await readFile(found.file)).toEqual(bytes);
    expect((await readConnections(env())).size).toBe(0);
  });
});

describe('a file', () => {
  const file = (): string => path.join(folder, 'project/.cursor/mcp.json');
  const write = async (text: string): Promise<void> => {
    await mkdir(path.dirname(file()), { recursive: true });
    await writeFile(file(), text);
  };
  const connect = async (
    given = entries,
  ): Promise<NonNullable<Awaited<ReturnType<typeof plan>>>> => {
    const connecting = await plan('cursor', 'project', given);
    if (connecting === undefined) throw new Error('no plan');
    await applyConnection(connecting, env());
    return connecting;
  };

  test('that was not there is not there again, nor are its folders', async () => {
    await connect();
    expect(existsSync(file())).toBe(true);
    expect(await undo()).toEqual(['restored']);
    expect(existsSync(path.join(folder, 'project/.cursor'))).toBe(false);
  });

  test('that somebody changed since loses our entries only', async () => {
    const text = '{\n  // mine\n  "mcpServers": {\n    "a": { "command": "x" } // keep\n  }\n}\n';
    await write(text);
    await connect();
    await writeFile(file(), (await readFile(file(), 'utf8')).replace('// mine', '// still mine'));
    expect(await undo()).toEqual(['removed']);
    expect(await readFile(file(), 'utf8')).toBe(text.replace('// mine', '// still mine'));
  });

  test('keeps an entry of ours that somebody has changed: it is theirs now', async () => {
    await connect();
    await writeFile(file(), (await readFile(file(), 'utf8')).replace('files@1.0.0', 'files@2.0.0'));
    const [connection] = (await readConnections(env())).values();
    if (connection === undefined) throw new Error('no connection');
    const undoing = await planDisconnection(connection, env());
    expect(undoing).toMatchObject({ how: 'removed', left: ['files'] });
    await applyDisconnection(undoing, env());
    expect(await readFile(file(), 'utf8')).toContain('files@2.0.0');
    expect(await readFile(file(), 'utf8')).not.toContain('docs.example');
  });

  test('that has a server of the same name keeps it, whatever it is', async () => {
    const text = '{ "mcpServers": { "files": { "command": "theirs" } } }';
    await write(text);
    const { kept } = await connect();
    expect(kept).toEqual(['files']);
    expect(await readFile(file(), 'utf8')).toContain('theirs');
    await undo();
    expect(await readFile(file(), 'utf8')).toBe(text);
  });

  test('that is connected again gets what has changed, and goes back to the first bytes', async () => {
    await write('{}');
    await connect();
    const [first, second] = entries;
    if (first === undefined || second === undefined) throw new Error('no entries');
    const other = adHocEntry({ command: 'other' }, 'files');
    await connect([other, second]);
    const loaded = await loadConfig({ root: surroundings().root });
    expect(loaded.entries.find(({ name }) => name === 'files')?.transport).toMatchObject({
      command: 'other',
    });
    expect((await connect([other, second])).text).toBe(await readFile(file(), 'utf8'));
    expect(await undo()).toEqual(['restored']);
    expect(await readFile(file(), 'utf8')).toBe('{}');
  });

  test('that begins with the mark of an editor and ends lines as Windows does keeps both', async () => {
    const bytes = Buffer.from('\uFEFF{\r\n  "mcpServers": {\r\n  }\r\n}');
    await write(bytes.toString());
    await connect();
    const text = await readFile(file(), 'utf8');
    expect(text.startsWith('\uFEFF{\r\n')).toBe(true);
    expect(text.replaceAll('\r\n', '')).not.toContain('\n');
    expect(await undo()).toEqual(['restored']);
    expect(await readFile(file())).toEqual(bytes);
  });

  test('that is gone meanwhile needs nothing', async () => {
    await connect();
    await rm(file());
    expect(await undo()).toEqual(['gone']);
  });

  test('that changes while somebody looks at the plan is not written', async () => {
    await write('{}');
    const connecting = await plan('cursor', 'project');
    await write('{ "mcpServers": {} }');
    await expect(connecting && applyConnection(connecting, env())).rejects.toThrow(
      /has changed meanwhile/,
    );
    expect(await readFile(file(), 'utf8')).toBe('{ "mcpServers": {} }');
  });

  test('that is broken is refused with its place, and left as it is', async () => {
    await write('{ "mcpServers": {');
    await expect(plan('cursor', 'project')).rejects.toThrow(/\.cursor\/mcp\.json#: not valid JSON/);
  });

  test('that is a link is not written in a project, and written through for a user', async () => {
    await writeFile(path.join(folder, 'kept.json'), '{}');
    await mkdir(path.join(folder, 'project/.cursor'));
    await symlink(path.join(folder, 'kept.json'), file());
    await expect(plan('cursor', 'project')).rejects.toThrow(/link/);
    await mkdir(path.join(folder, 'home/.cursor'));
    await symlink(path.join(folder, 'kept.json'), path.join(folder, 'home/.cursor/mcp.json'));
    const connecting = await plan('cursor', 'user');
    if (connecting === undefined) throw new Error('no plan');
    await applyConnection(connecting, env());
    expect(await readFile(path.join(folder, 'kept.json'), 'utf8')).toContain('files@1.0.0');
    expect(await undo()).toEqual(['restored']);
    expect(await readFile(path.join(folder, 'kept.json'), 'utf8')).toBe('{}');
  });

  test('tells that its host is there, and so does its folder', async () => {
    const cursor = connectable.find(({ id }) => id === 'cursor');
    if (cursor === undefined) throw new Error('no host');
    expect(await isInstalled(cursor, surroundings())).toBe(false);
    await mkdir(path.join(folder, 'home/.cursor'));
    expect(await isInstalled(cursor, surroundings())).toBe(true);
  });
});
