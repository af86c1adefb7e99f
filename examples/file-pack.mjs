// Tools for the files of one folder, and of no other: node examples/file-pack.mjs FOLDER
// Serves over stdio. `--demo` shows them on a folder of its own instead, and checks what they do.
import { createHash } from 'node:crypto';
import {
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createServer } from 'mcp-kit/server';
import { fail, tool, toolSet } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { serveStdio } from 'mcp-kit/transport';
import { demo } from './lib/demo.mjs';

const filePath = {
  type: 'string',
  minLength: 1,
  maxLength: 500,
  description: 'A path within the folder, such as notes/today.md.',
};
const errors = {
  E_NOT_FOUND: 'There is no such file.',
  E_PRECONDITION_FAILED: 'The path leads out of the folder.',
};
const examples = [
  { input: { filePath: 'missing.txt' }, fails: 'E_NOT_FOUND' },
  { input: { filePath: '../outside.txt' }, fails: 'E_PRECONDITION_FAILED' },
];

/** Ways into one folder, and into no other. */
function openFolder(root) {
  /** Where a path leads, links followed; never out of the folder. */
  async function resolve(name) {
    const target = path.resolve(root, name);
    const parent = await realpath(path.dirname(target)).catch(() => undefined);
    const found = parent && path.join(parent, path.basename(target));
    const real = (found && (await realpath(found).catch(() => found))) ?? target;
    if (real !== root && !real.startsWith(root + path.sep)) {
      throw fail('E_PRECONDITION_FAILED', `"${name}" leads out of the folder.`);
    }
    return real;
  }

  /** What a file holds, as a short text that changes with it; nothing for none. */
  async function fingerprint(file) {
    const content = await readFile(file).catch(() => undefined);
    return content && createHash('sha256').update(content).digest('hex').slice(0, 16);
  }

  async function existing(name) {
    const file = await resolve(name);
    const facts = await stat(file).catch(() => undefined);
    if (!facts?.isFile()) throw fail('E_NOT_FOUND', `There is no file "${name}".`);
    return { file, size: facts.size, state: await fingerprint(file) };
  }

  return { root, resolve, fingerprint, existing };
}

/** Tools that only look. */
function readingTools({ root, existing }) {
  return [
    tool({
      name: 'list_file_names',
      description: 'Lists the files of the folder, those below it included.',
      category: 'file',
      safety: 'readonly',
      examples: [{ input: {} }],
      input: { type: 'object', additionalProperties: false },
      output: {
        type: 'object',
        properties: { names: { type: 'array', items: { type: 'string' } } },
        required: ['names'],
      },
      async run() {
        const entries = await readdir(root, { recursive: true, withFileTypes: true });
        const files = entries.filter((entry) => entry.isFile());
        return {
          names: files.map(({ parentPath, name }) =>
            path.relative(root, path.join(parentPath, name)),
          ),
        };
      },
    }),
    tool({
      name: 'get_file_text',
      description: 'Returns the text of a file.',
      category: 'file',
      safety: 'readonly',
      errors,
      examples,
      input: {
        type: 'object',
        properties: { filePath },
        required: ['filePath'],
        additionalProperties: false,
      },
      output: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      async run({ filePath: name }) {
        const { file } = await existing(name);
        return { text: await readFile(file, 'utf8') };
      },
    }),
  ];
}

/** Tools that write; each says first what it would do. */
function writingTools({ resolve, fingerprint, existing }) {
  return [
    tool({
      name: 'set_file_text',
      description: 'Writes a text to a file, which it makes if need be.',
      category: 'file',
      safety: 'mutating',
      idempotent: true,
      riskLevel: 'medium',
      errors: { E_PRECONDITION_FAILED: errors.E_PRECONDITION_FAILED },
      examples: [{ input: { filePath: 'hello.txt', text: 'Hello.' } }],
      input: {
        type: 'object',
        properties: { filePath, text: { type: 'string', description: 'The whole text.' } },
        required: ['filePath', 'text'],
        additionalProperties: false,
      },
      async plan({ filePath: name, text }) {
        const file = await resolve(name);
        const before = await fingerprint(file);
        const type = before === undefined ? 'create' : 'update';
        const changes = [
          { type, target: name, field: 'text', from: before, to: `${text.length} characters` },
        ];
        return { changes, state: before ?? null, file, text };
      },
      apply: ({ file, text }) => writeFile(file, text),
    }),
    tool({
      name: 'move_file_path',
      description: 'Gives a file another name; never over another file.',
      category: 'file',
      safety: 'mutating',
      errors: { ...errors, E_CONFLICT: 'There is a file of that name.' },
      examples: [{ input: { filePath: 'missing.txt', toPath: 'b.txt' }, fails: 'E_NOT_FOUND' }],
      input: {
        type: 'object',
        properties: { filePath, toPath: filePath },
        required: ['filePath', 'toPath'],
        additionalProperties: false,
      },
      async plan({ filePath: name, toPath }) {
        const { file, state } = await existing(name);
        const to = await resolve(toPath);
        if ((await fingerprint(to)) !== undefined)
          throw fail('E_CONFLICT', `"${toPath}" is there already.`);
        return {
          changes: [{ type: 'move', target: name, from: name, to: toPath }],
          state,
          file,
          to,
        };
      },
      apply: ({ file, to }) => rename(file, to),
    }),
    tool({
      name: 'delete_file_path',
      description: 'Deletes a file for good.',
      category: 'file',
      safety: 'destructive',
      riskLevel: 'high',
      errors,
      examples,
      input: {
        type: 'object',
        properties: { filePath },
        required: ['filePath'],
        additionalProperties: false,
      },
      async plan({ filePath: name }) {
        const { file, size, state } = await existing(name);
        return { changes: [{ type: 'delete', target: name, from: `${size} bytes` }], state, file };
      },
      apply: ({ file }) => rm(file),
    }),
  ];
}

function serverFor(root) {
  const folder = openFolder(root);
  const tools = [...readingTools(folder), ...writingTools(folder)];
  return createServer({
    name: 'files',
    version: '1.0.0',
    features: [toolSet(tools, { contract: governed({ requirePlan: 'destructive' }) })],
  });
}

if (process.argv.includes('--demo')) {
  const root = await realpath(await mkdtemp(path.join(tmpdir(), 'file-pack-')));
  try {
    await demo(serverFor(root), async (call) => {
      await call('set_file_text', { filePath: 'a.txt', text: 'one' });
      const outside = await call('get_file_text', { filePath: '../../etc/passwd' });
      console.log('outside:', outside.error.code);
      const { planToken } = (await call('delete_file_path', { filePath: 'a.txt', dryRun: true }))
        .data;
      await call('set_file_text', { filePath: 'a.txt', text: 'two' });
      const stale = await call('delete_file_path', { filePath: 'a.txt', planToken });
      console.log('changed since:', stale.error.code, stale.error.details.reason);
      await call('move_file_path', { filePath: 'a.txt', toPath: 'b.txt' });
      console.log('files:', (await call('list_file_names')).data.names.join());
      console.log('text:', (await call('get_file_text', { filePath: 'b.txt' })).data.text);
    });
  } finally {
    await rm(root, { recursive: true });
  }
} else {
  await serveStdio(serverFor(await realpath(process.argv[2] ?? '.')));
}
