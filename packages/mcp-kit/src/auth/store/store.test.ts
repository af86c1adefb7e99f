import { chmod, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { whileLocked } from '#base';
import { credentialsPath, openCredentials } from './file-store.ts';
import { createSeal, type KeychainEntry } from './keychain.ts';
import { memoryCredentials, type CredentialStore } from './store.ts';

import path from 'node:path';

let folder = '';
const file = (): string => path.join(folder, 'state/credentials.json');
const open = (chain: 'none' | KeychainEntry = 'none'): Promise<CredentialStore> =>
  openCredentials({ file: file(), keychain: chain });

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mcp-kit-credentials-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A keychain of one entry. */
function keychain(): KeychainEntry & { kept: string | undefined } {
  const entry = {
    kept: undefined as string | undefined,
    get: () => entry.kept,
    set: (secret: string) => {
      entry.kept = secret;
    },
  };
  return entry;
}

describe.each(['in memory', 'in a file', 'in a sealed file'])('what is kept %s', (where) => {
  const make = async (): Promise<CredentialStore> =>
    where === 'in memory' ? memoryCredentials() : open(where === 'in a file' ? 'none' : keychain());

  test('is read, changed and removed by name', async () => {
    const store = await make();
    expect(await store.read('a')).toBeUndefined();
    await store.update('a', () => ({ token: 1 }));
    await store.update('b', () => ({ token: 2 }));
    expect(await store.names()).toEqual(['a', 'b']);
    expect(await store.update('a', (kept) => ({ ...(kept as object), more: true }))).toEqual({
      token: 1,
      more: true,
    });
    await store.update('b', () => undefined);
    expect(await store.read('a')).toEqual({ token: 1, more: true });
    expect(await store.read('b')).toBeUndefined();
    expect(await store.names()).toEqual(['a']);
  });

  test('is changed by one at a time, and what runs exclusively does not overlap', async () => {
    const store = await make();
    let inside = 0;
    const run = (): Promise<void> =>
      store.exclusively('x', async () => {
        expect((inside += 1)).toBe(1);
        await store.update('count', (kept) => Number(kept ?? 0) + 1);
        inside -= 1;
      });
    await Promise.all(Array.from({ length: 8 }, run));
    expect(await store.read('count')).toBe(8);
    await expect(store.exclusively('x', () => Promise.reject(new Error('no')))).rejects.toThrow(
      'no',
    );
    expect(await store.exclusively('x', () => Promise.resolve('free'))).toBe('free');
  });
});

describe('the file', () => {
  test('can be read by its owner only, and nothing is left beside it', async () => {
    const store = await open();
    await store.update('a', () => ({ token: 'x' }));
    expect((await stat(file())).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file()))).mode & 0o777).toBe(0o700);
    expect(await readdir(path.dirname(file()))).toEqual(['credentials.json']);
    expect(store.place).toContain(file());
  });

  test.skipIf(process.getuid === undefined)('is not believed when others can read it', async () => {
    const store = await open();
    await store.update('a', () => 1);
    await chmod(file(), 0o640);
    await expect(store.read('a')).rejects.toMatchObject({
      code: 'invalid_config',
      hint: expect.stringContaining('chmod 600') as string,
    });
  });

  test('that is something else is left alone', async () => {
    const store = await open();
    await store.update('a', () => 1);
    await writeFile(file(), '{"version": 2}');
    await expect(store.update('a', () => 1)).rejects.toMatchObject({ code: 'invalid_config' });
    expect(await readFile(file(), 'utf8')).toBe('{"version": 2}');
  });

  test('is in the state folder of the user', () => {
    expect(credentialsPath({ XDG_STATE_HOME: '/s', HOME: '/h' })).toBe(
      '/s/mcp-kit/credentials.json',
    );
    expect(credentialsPath({ XDG_STATE_HOME: 'relative', HOME: '/h' })).toBe(
      '/h/.local/state/mcp-kit/credentials.json',
    );
  });
});

describe('a sealed file', () => {
  test('shows nothing without the keychain, and everything with it', async () => {
    const chain = keychain();
    const sealed = await open(chain);
    expect(sealed.place).toContain('keychain');
    await sealed.update('a', () => ({ token: 'secret words' }));
    expect(await readFile(file(), 'utf8')).not.toContain('secret words');
    expect(await (await open(chain)).read('a')).toEqual({ token: 'secret words' });
    expect(await (await open()).read('a')).toBeUndefined();
    expect(await (await open(keychain())).read('a')).toBeUndefined();
  });

  test('takes over what was kept before there was a keychain', async () => {
    await (await open()).update('a', () => 'plain');
    const sealed = await open(keychain());
    expect(await sealed.read('a')).toBe('plain');
    await sealed.update('a', (kept) => kept);
    expect(await readFile(file(), 'utf8')).not.toContain('plain');
    expect(await sealed.read('a')).toBe('plain');
  });

  test('does not open what was moved to another name, cut or changed', () => {
    const seal = createSeal(new Uint8Array(32).fill(7));
    const sealed = seal.close('words', 'name');
    expect(seal.open(sealed, 'name')).toBe('words');
    expect(seal.open(sealed, 'other')).toBeUndefined();
    // The last letter has bits that stand for nothing.
    for (let at = 0; at < sealed.length - 1; at += 1) {
      const changed = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1);
      expect(seal.open(changed, 'name')).toBeUndefined();
      expect(seal.open(sealed.slice(0, at), 'name')).toBeUndefined();
    }
  });
});

describe('a lock', () => {
  test('is taken over from a process that was killed', async () => {
    const lock = path.join(folder, 'a.lock');
    await writeFile(lock, '');
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(lock, longAgo, longAgo);
    expect(await whileLocked(lock, () => Promise.resolve('ran'))).toBe('ran');
    expect(await readdir(folder)).toEqual([]);
  });

  test('that is held is waited for, but not for ever', async () => {
    const lock = path.join(folder, 'a.lock');
    await writeFile(lock, '');
    const waiting = whileLocked(lock, () => Promise.resolve(), { waitMs: 60 });
    await expect(waiting).rejects.toMatchObject({ code: 'timeout' });
    const owner = new AbortController();
    const other = whileLocked(lock, () => Promise.resolve(), { signal: owner.signal });
    owner.abort();
    await expect(other).rejects.toMatchObject({ code: 'aborted' });
  });
});
