import { execFileSync } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { loadConfig, showChange, type ServerEntry } from '@mcp-kit/host';
import {
  interpolate,
  launchOf,
  lockPath,
  pinOf,
  readReceipts,
  receiptsPath,
  updateReceipts,
  updateLock,
  approve,
  assess,
  readLock,
  receiptFor,
  withReceipt,
  type Known,
  type TrustEntry,
  type TrustSystem,
} from '@mcp-kit/host/internal';
import { describe, expect, test } from 'vitest';

/** A cloned repository with a server in it, and a user who has approved nothing yet. */
class Clone {
  readonly root: string;
  readonly config: string;
  readonly program: string;
  readonly state: string;
  readonly system: TrustSystem;
  /** Entries whose launch was asked for. */
  readonly launched: string[] = [];

  constructor(root: string) {
    this.root = root;
    this.config = path.join(root, '.mcp.json');
    this.program = path.join(root, 'bin/server');
    this.state = receiptsPath({ XDG_STATE_HOME: path.join(root, 'state') });
    this.system = {
      launchOf: (entry) => {
        this.launched.push(entry.name);
        const env = { PATH: path.join(root, 'bin') };
        const context = { env, workspaceFolder: root };
        const { transport } = interpolate(entry as ServerEntry, context).entry;
        return transport.kind === 'stdio' ? launchOf(transport, { cwd: root, env }) : undefined;
      },
      caFileOf: () => undefined,
    };
  }

  static async make(): Promise<Clone> {
    const clone = new Clone(await mkdtemp(path.join(tmpdir(), 'mcp-kit-trust-')));
    await mkdir(path.join(clone.root, 'bin'));
    await writeFile(clone.program, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    await clone.write(entryText);
    return clone;
  }

  write(text: string): Promise<void> {
    return writeFile(this.config, text);
  }

  async entry(): Promise<ServerEntry> {
    const { entries, errors } = await loadConfig({ root: this.root });
    const [entry] = entries;
    if (entry === undefined) throw new Error(errors.map(({ message }) => message).join());
    return entry;
  }

  async approve(): Promise<void> {
    const entry = await this.entry();
    const receipt = await approve(entry, this.system, { by: 'me' });
    await updateReceipts(this.state, (receipts) => withReceipt(receipts, entry, receipt));
  }

  async assess(pin?: Known['pin']): ReturnType<typeof assess> {
    const entry = await this.entry();
    const receipt = receiptFor(await readReceipts(this.state), entry);
    return assess(entry, { receipt, pin }, this.system);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true });
  }
}

const entryText = JSON.stringify({
  mcpServers: {
    docs: { command: 'server', args: ['--port', '1'], env: { KEY: 'k-123', REF: '${TOKEN}' } },
  },
});

describe('a server that a file names', () => {
  test('is untrusted, and not even looked for', async () => {
    await using clone = await Clone.make();
    expect(await clone.assess()).toEqual({ verdict: 'untrusted', changes: [] });
    expect(clone.launched).toEqual([]);
  });

  test('is trusted once it is approved, and no longer once that is revoked', async () => {
    await using clone = await Clone.make();
    await clone.approve().catch(() => {});
    // Its environment refers to a variable that is not set: nothing can be approved that cannot be resolved.
    expect((await clone.assess()).verdict).toBe('untrusted');
    await clone.write(entryText.replace('${TOKEN}', 'x'));
    await clone.approve();
    const { verdict, changes, program } = await clone.assess();
    expect({ verdict, changes }).toEqual({ verdict: 'trusted', changes: [] });
    expect(program).toBe(clone.program);
    const entry = await clone.entry();
    await updateReceipts(clone.state, (receipts) => withReceipt(receipts, entry));
    expect((await clone.assess()).verdict).toBe('untrusted');
  });

  test('stays trusted when keys are in another order, and spaces elsewhere', async () => {
    await using clone = await Clone.make();
    await clone.write(
      '{"mcpServers":{"docs":{"command":"server","args":["a"],"env":{"A":"1","B":"2"}}}}',
    );
    await clone.approve();
    await clone.write(
      '{ "mcpServers": {\n"docs": {"env":{"B":"2","A":"1"}, "args":["a"], "command":"server"}}}',
    );
    expect((await clone.assess()).verdict).toBe('trusted');
  });

  test('of the same name in another case or another folder is another', async () => {
    await using clone = await Clone.make();
    await using other = await Clone.make();
    const text = entryText.replace('${TOKEN}', 'x');
    await clone.write(text);
    await clone.approve();
    await clone.write(text.replace('"docs"', '"Docs"'));
    expect((await clone.assess()).verdict).toBe('untrusted');
    await other.write(text);
    const entry = await other.entry();
    expect(receiptFor(await readReceipts(clone.state), entry)).toBeUndefined();
  });
});

const approved = entryText.replace('${TOKEN}', 'x');
const remote = '{"mcpServers":{"docs":{"type":"http","url":"https://a.example"}}}';

/** A clone whose server is approved. */
async function trusted(): Promise<Clone> {
  const clone = await Clone.make();
  await clone.write(approved);
  await clone.approve();
  expect((await clone.assess()).verdict).toBe('trusted');
  clone.launched.length = 0;
  return clone;
}

describe('one changed byte asks again, and shows what has changed:', () => {
  test.each([
    ['command', '"server"', '"Server"', '/entry/transport/command'],
    ['an argument', '"1"', '"2"', '/entry/transport/args/1'],
    ['one more argument', '"1"]', '"1","x"]', '/entry/transport/args/2'],
    ['a variable', 'k-123', 'k-124', '/entry/transport/env/KEY'],
    ['one more variable', '"KEY"', '"PATH":"./evil","KEY"', '/entry/transport/env/PATH'],
    ['a setting of the host', '"command"', '"extra":1,"command"', '/entry/extras/extra'],
    ['the kind', approved, remote, '/entry/transport/kind'],
  ])('%s of the entry', async (...row) => {
    const [, before, now, pointer] = row;
    await using clone = await trusted();
    await clone.write(approved.replace(before, now));
    const { verdict, changes } = await clone.assess();
    expect(verdict).toBe('changed');
    expect(changes.map((change) => change.pointer)).toContain(pointer);
    expect(clone.launched).toEqual([]);
    expect(changes.flatMap((change) => showChange(change)).join('\n')).not.toContain('k-12');
  });

  test('of the program', async () => {
    await using clone = await trusted();
    const { mtime } = await lstat(clone.program);
    await writeFile(clone.program, '#!/bin/sh\nexit 1\n');
    // As one who wants to hide it would do.
    await utimes(clone.program, mtime, mtime);
    const { verdict, changes } = await clone.assess();
    expect(verdict).toBe('changed');
    expect(changes.map((change) => change.pointer)).toEqual(['/executable/sha256']);
  });

  test('of a program that was long at rest, and need not be read again while it is', async () => {
    await using clone = await Clone.make();
    const node = path.join(clone.root, 'bin/server');
    await rm(node);
    await symlink(process.execPath, node);
    await clone.write(approved);
    await clone.approve();
    const receipt = receiptFor(await readReceipts(clone.state), await clone.entry());
    expect(receipt?.executable).toMatchObject({ found: node, stamp: expect.any(String) });
    // The fingerprint is taken from the receipt, so it is believed as long as the file is at rest.
    const forged = { ...receipt?.executable, sha256: '0'.repeat(64) };
    const entry = await clone.entry();
    const known = { receipt: { ...receipt, executable: forged } as NonNullable<typeof receipt> };
    expect((await assess(entry, known, clone.system)).verdict).toBe('trusted');
    const moved = { receipt: { ...known.receipt, executable: { ...forged, stamp: 'other' } } };
    const { verdict } = await assess(entry, moved as typeof known, clone.system);
    expect(verdict).toBe('changed');
  });

  test('of where a link leads, although what is there is the same', async () => {
    await using clone = await Clone.make();
    await rename(clone.program, `${clone.program}-1`);
    await writeFile(`${clone.program}-2`, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    await symlink('server-1', clone.program);
    await clone.write(approved);
    await clone.approve();
    await rm(clone.program);
    await symlink('server-2', clone.program);
    const { verdict, changes } = await clone.assess();
    expect(verdict).toBe('changed');
    const before = expect.stringMatching(/server-1$/) as string;
    const now = expect.stringMatching(/server-2$/) as string;
    expect(changes).toEqual([{ pointer: '/executable/path', before, now }]);
  });

  test('of which program comes first', async () => {
    await using clone = await trusted();
    const evil = path.join(clone.root, 'evil');
    await mkdir(evil);
    await writeFile(path.join(evil, 'server'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const system = {
      ...clone.system,
      launchOf: (entry: TrustEntry) => {
        const launch = clone.system.launchOf(entry);
        return launch && { ...launch, path: `${evil}:${launch.path}` };
      },
    };
    const entry = await clone.entry();
    const receipt = receiptFor(await readReceipts(clone.state), entry);
    const { verdict, changes } = await assess(entry, { receipt }, system);
    expect(verdict).toBe('changed');
    expect(changes.map((change) => change.pointer)).toEqual([
      '/executable/found',
      '/executable/path',
    ]);
  });

  test('a program that is gone', async () => {
    await using clone = await trusted();
    await rm(clone.program);
    const { verdict, changes } = await clone.assess();
    expect(verdict).toBe('changed');
    expect(changes).toMatchObject([{ pointer: '/executable', now: undefined }]);
  });

  test('a program that was not there when it was approved', async () => {
    await using clone = await Clone.make();
    await clone.write(approved);
    await rename(clone.program, `${clone.program}.later`);
    await expect(clone.approve()).rejects.toMatchObject({ code: 'process_failed' });
    await rename(`${clone.program}.later`, clone.program);
    expect((await clone.assess()).verdict).toBe('untrusted');
  });
});

describe('mcp.lock', () => {
  async function pinned(clone: Clone) {
    const entry = await clone.entry();
    const receipt = await approve(entry, clone.system, {
      by: 'a colleague',
      tools: [{ name: 'a' }],
    });
    const file = lockPath(clone.config);
    await updateLock(file, () => new Map([[entry.name, pinOf(receipt)]]));
    return { file, pin: (await readLock(file)).get(entry.name) };
  }

  test('comes with the configuration, so it approves of nothing', async () => {
    await using clone = await Clone.make();
    await clone.write(approved);
    const { pin } = await pinned(clone);
    expect(pin).toBeDefined();
    expect(await clone.assess(pin)).toEqual({ verdict: 'untrusted', changes: [] });
  });

  test('takes trust away from what is not as others saw it', async () => {
    await using clone = await trusted();
    const { pin } = await pinned(clone);
    expect((await clone.assess(pin)).verdict).toBe('trusted');
    await clone.write(approved.replace('"1"', '"2"'));
    await clone.approve();
    expect(await clone.assess(pin)).toMatchObject({
      verdict: 'changed',
      changes: [{ pointer: '/entry/transport/args/1', before: '1', now: '2' }],
    });
  });

  test('says nothing of the machine it was written on, and no secret', async () => {
    await using clone = await trusted();
    const { file } = await pinned(clone);
    const text = await readFile(file, 'utf8');
    for (const word of [clone.root, 'a colleague', 'k-123', 'executable']) {
      expect(text).not.toContain(word);
    }
    expect(text).toContain('"--port"');
  });
});

describe('the file of receipts', () => {
  test('is for its owner only, and whole at every moment', async () => {
    await using clone = await trusted();
    expect((await lstat(clone.state)).mode & 0o777).toBe(0o600);
    expect((await lstat(path.dirname(clone.state))).mode & 0o777).toBe(0o700);
    expect(await readdir(path.dirname(clone.state))).toEqual(['trust.json']);
    expect(await readFile(clone.state, 'utf8')).not.toContain('k-123');
  });

  test('loses nothing when many change it at the same time', async () => {
    await using clone = await trusted();
    const entry = await clone.entry();
    const receipt = receiptFor(await readReceipts(clone.state), entry);
    const names = Array.from({ length: 20 }, (_, index) => `server-${index}`);
    await Promise.all([
      updateReceipts(clone.state, (receipts) => withReceipt(receipts, entry)),
      ...names.map((name) =>
        updateReceipts(clone.state, (receipts) =>
          withReceipt(receipts, { ...entry, name }, receipt),
        ),
      ),
    ]);
    const [servers] = [...(await readReceipts(clone.state)).values()];
    expect([...(servers?.keys() ?? [])].toSorted()).toEqual(names.toSorted());
  });

  test('ten that pin a server at once leave ten pins', async () => {
    await using clone = await trusted();
    const receipt = receiptFor(await readReceipts(clone.state), await clone.entry());
    if (receipt === undefined) throw new Error('the receipt is not there');
    const file = lockPath(clone.config);
    const names = Array.from({ length: 10 }, (_, index) => `server-${index}`);
    const add = (name: string): Promise<void> =>
      updateLock(file, (pins) => new Map(pins).set(name, pinOf(receipt)));
    await Promise.all(names.map(add));
    expect([...(await readLock(file)).keys()].toSorted()).toEqual(names);
  });

  test('goes on after a process that was killed while it wrote', async () => {
    await using clone = await trusted();
    const sign = `${clone.state}.busy`;
    await writeFile(sign, '');
    const long = new Date(Date.now() - 60_000);
    await utimes(sign, long, long);
    await updateReceipts(clone.state, (receipts) => receipts);
    expect(await readdir(path.dirname(clone.state))).toEqual(['trust.json']);
  });

  test.each<[string, (text: string) => string]>([
    ['cut off', (text) => text.slice(0, -20)],
    ['empty', () => ''],
    ['of another kind', () => '[]'],
    ['of a later version', (text) => text.replace('"version": 1', '"version": 2')],
    ['with a field more', (text) => text.replace('"by"', '"also": 1, "by"')],
    ['with a key twice', (text) => text.replace('"by"', '"by": "other", "by"')],
    [
      'with a server twice',
      (text) => text.replace('"docs": {', '"docs": {"entryDigest":"x"}, "docs": {'),
    ],
    ['with a fingerprint that is none', (text) => text.replace(/sha256:[0-9a-f]{64}/, 'sha256:0')],
    ['with a program that is none', (text) => text.replace(/"size": \d+/, '"size": "1"')],
    ['not UTF-8', () => '\ud800'],
  ])('that is %s approves of nothing, is named, and is not written over', async (_, spoil) => {
    await using clone = await trusted();
    const good = await readFile(clone.state, 'utf8');
    const spoilt = spoil(good);
    expect(spoilt).not.toBe(good);
    await writeFile(clone.state, Buffer.from(spoilt, spoilt === '\ud800' ? 'latin1' : 'utf8'));
    const failure = {
      code: 'invalid_config',
      message: expect.stringContaining(clone.state) as string,
    };
    await expect(clone.assess()).rejects.toMatchObject(failure);
    await expect(clone.approve()).rejects.toMatchObject(failure);
    expect(await readFile(clone.state)).toHaveLength(
      Buffer.byteLength(spoilt, spoilt === '\ud800' ? 'latin1' : 'utf8'),
    );
    expect(await readdir(path.dirname(clone.state))).toEqual(['trust.json']);
  });

  test('with a definition that is not the one of its fingerprint approves of nothing', async () => {
    await using clone = await trusted();
    const entry = await clone.entry();
    const tools = [{ name: 'read', description: 'Reads.' }];
    const receipt = await approve(entry, clone.system, { by: 'me', tools });
    await updateReceipts(clone.state, (receipts) => withReceipt(receipts, entry, receipt));
    const text = await readFile(clone.state, 'utf8');
    await writeFile(clone.state, text.replace('Reads.', 'Writes.'));
    await expect(clone.assess()).rejects.toMatchObject({
      details: { pointer: expect.stringMatching(/\/tools\/read\/digest$/) as string },
    });
  });

  test('that is a link, or that others can write to, approves of nothing', async () => {
    await using clone = await trusted();
    await chmod(clone.state, 0o620);
    await expect(clone.assess()).rejects.toMatchObject({
      code: 'invalid_config',
      hint: expect.stringContaining('chmod 600') as string,
    });
    await chmod(clone.state, 0o600);
    await rename(clone.state, `${clone.state}.real`);
    await symlink(`${clone.state}.real`, clone.state);
    await expect(clone.assess()).rejects.toMatchObject({ code: 'invalid_config' });
  });

  test('is where the system keeps state', () => {
    const file = path.join('mcp-kit', 'trust.json');
    expect(receiptsPath({ XDG_STATE_HOME: '/s', HOME: '/h' })).toBe(path.join('/s', file));
    expect(receiptsPath({ XDG_STATE_HOME: 'relative', HOME: '/h' })).toBe(
      path.join('/h/.local/state', file),
    );
  });
});

test('a file of receipts that cannot be written is named', async () => {
  await using clone = await trusted();
  const file = path.join(clone.config, 'trust.json');
  await expect(updateReceipts(file, (receipts) => receipts)).rejects.toMatchObject({
    code: 'invalid_config',
    message: expect.stringContaining(file) as string,
  });
});

test('a pipe in place of the program does not make us wait', async () => {
  await using clone = await trusted();
  await rm(clone.program);
  execFileSync('/bin/sh', ['-c', 'mkfifo -m 755 "$0"', clone.program]);
  expect((await clone.assess()).verdict).toBe('changed');
});
