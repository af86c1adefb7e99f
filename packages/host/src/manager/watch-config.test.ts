import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDeferred, silentLogger } from 'mcp-kit/internal';
import type { LoadedConfig, LoadOptions } from './config/load.ts';
import { watchConfig } from './watch-config.ts';

const everyMs = 10;

/** A project whose configuration is watched; what was told, in order. */
class Watched {
  readonly told: (readonly string[] | Error)[] = [];
  readonly folder: string;
  readonly #watching;
  #changed = createDeferred<void>();

  constructor(folder: string, options: Partial<LoadOptions> = {}) {
    this.folder = folder;
    const tell = (what: readonly string[] | Error): void => {
      this.told.push(what);
      const { resolve } = this.#changed;
      this.#changed = createDeferred();
      resolve();
    };
    this.#watching = watchConfig(
      { root: folder, ...options },
      {
        changed: ({ entries }: LoadedConfig) => tell(entries.map(({ name }) => name)),
        failed: tell,
      },
      { everyMs },
    );
    onTestFinished(() => this.close());
  }

  async write(name: string, servers: readonly string[] | string): Promise<void> {
    const file = path.join(this.folder, name);
    const entries =
      typeof servers === 'string' ? [] : servers.map((one) => [one, { command: 'x' }]);
    const text =
      typeof servers === 'string'
        ? servers
        : JSON.stringify({ mcpServers: Object.fromEntries(entries) });
    // In one step, so that nobody reads half of it.
    await writeFile(`${file}.new`, text);
    await rename(`${file}.new`, file);
  }

  /** Settles when so much has been told. */
  async heard(count: number): Promise<readonly (readonly string[] | Error)[]> {
    while (this.told.length < count) await this.#changed.promise;
    return this.told;
  }

  /** Settles when it has looked for the first time. */
  get ready(): Promise<void> {
    return this.#watching.ready;
  }

  /** Settles when it has looked a few times more. */
  async looked(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 10 * everyMs));
  }

  close(): void {
    this.#watching.close();
  }
}

async function project(files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-watch-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  return folder;
}

test('tells when a file appears, changes and goes away; not what is there at first', async () => {
  const watched = new Watched(await project());
  await watched.ready;
  await watched.write('.mcp.json', ['a']);
  await watched.heard(1);
  await watched.write('.mcp.json', ['a', 'b']);
  await watched.heard(2);
  await rm(path.join(watched.folder, '.mcp.json'));
  expect(await watched.heard(3)).toEqual([['a'], ['a', 'b'], []]);
});

test('tells nothing while nothing changes', async () => {
  const watched = new Watched(await project({ '.mcp.json': '{"mcpServers":{}}' }));
  await watched.looked();
  expect(watched.told).toEqual([]);
});

test('a file that cannot be read any more is told, and its servers are not taken away', async () => {
  const watched = new Watched(await project({ '.mcp.json': '{"mcpServers":{}}' }));
  await watched.ready;
  await watched.write('.mcp.json', '{"mcpServers":{');
  await watched.heard(1);
  await watched.looked();
  expect(watched.told).toEqual([expect.objectContaining({ code: 'invalid_config' })]);
  await watched.write('.mcp.json', ['a']);
  expect((await watched.heard(2))[1]).toEqual(['a']);
});

test('a file that was wrong from the beginning is in nobody’s way', async () => {
  const watched = new Watched(await project({ 'mcp.json': '{"version":1,"servers":{"a":' }));
  await watched.ready;
  await watched.write('.mcp.json', ['a']);
  expect(await watched.heard(1)).toEqual([['a']]);
});

test('a file that another refers to is watched as well', async () => {
  const link = JSON.stringify({ mcpServers: './other.json' });
  const other = JSON.stringify({ mcpServers: { a: { command: 'x' } } });
  const watched = new Watched(await project({ '.mcp.json': link, 'other.json': other }));
  await watched.ready;
  await watched.write('other.json', ['a', 'b']);
  expect(await watched.heard(1)).toEqual([['a', 'b']]);
});

test('files that are named are watched where they are', async () => {
  const folder = await project({ 'own.json': '{"mcpServers":{}}' });
  const watched = new Watched(folder, { files: ['own.json'] });
  await watched.ready;
  await watched.write('.mcp.json', ['unrelated']);
  await watched.write('own.json', ['a']);
  expect(await watched.heard(1)).toEqual([['a']]);
});

test('nothing is told after it was closed', async () => {
  const watched = new Watched(await project());
  await watched.ready;
  watched.close();
  await watched.write('.mcp.json', ['a']);
  await watched.looked();
  expect(watched.told).toEqual([]);
});

test('a handler that fails, and fails again when it is told so, is reported and nothing else', async () => {
  const folder = await project({ '.mcp.json': '{"mcpServers":{}}' });
  const reported = createDeferred<string>();
  const logger = { ...silentLogger, error: reported.resolve };
  const fail = (): never => {
    throw new Error('of theirs');
  };
  const watching = watchConfig(
    { root: folder },
    { changed: fail, failed: fail },
    { everyMs, logger },
  );
  onTestFinished(() => watching.close());
  let times = 0;
  const touch = setInterval(() => {
    const servers = { [`server-${(times += 1)}`]: { command: 'x' } };
    void writeFile(path.join(folder, '.mcp.json'), JSON.stringify({ mcpServers: servers }));
  }, 5 * everyMs);
  onTestFinished(() => clearInterval(touch));
  expect(await reported.promise).toBe('watchConfig: a handler failed');
});

test('a file that is emptied says what it said, whatever else changes, until it is removed', async () => {
  const watched = new Watched(
    await project({ '.mcp.json': '{"mcpServers":{"a":{"command":"x"}}}' }),
  );
  await watched.ready;
  await watched.write('.mcp.json', '');
  await watched.heard(1);
  await watched.write('mcp.json', '{"version":1,"servers":{"b":{"argv":["x"]}}}');
  const wrong = expect.objectContaining({ code: 'invalid_config' });
  expect(await watched.heard(2)).toEqual([wrong, wrong]);
  await rm(path.join(watched.folder, '.mcp.json'));
  expect((await watched.heard(3))[2]).toEqual(['b']);
});
