import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';

beforeAll(requireBuild);

const tool = (n: number): string => `
export const tool${n} = defineTool({
  name: 'set_thing_state${n}',
  description: 'Sets a thing.',
  safety: 'mutating',
  input: {
    type: 'object',
    properties: {
      id: { type: 'string' },
      amount: { type: 'integer' },
      kind: { enum: ['a', 'b'] },
      at: {
        type: 'object',
        properties: { x: { type: 'number' }, y: { type: 'number' } },
        required: ['x', 'y'],
      },
      tags: { type: 'array', items: { type: 'string' } },
    },
    required: ['id', 'at'],
  },
  output: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  plan({ id, at, amount = 0, kind = 'a', tags = [] }, context) {
    const sum: number = at.x + at.y + amount + tags.length;
    const fits: 'a' | 'b' = kind;
    return { changes: [{ type: 'update', target: id, to: sum }], id, fits, fresh: context.newId('x') };
  },
  apply({ id, fresh, fits }) {
    return { id: id + fresh + fits };
  },
});`;

/** Type-checks a program with this text as an author's project would; returns what the compiler said, and how long it took. */
async function check(text: string): Promise<{ said: string; ms: number }> {
  mkdirSync(path.join(root, 'temp'), { recursive: true });
  // Inside the repository, so that its packages are found.
  const folder = mkdtempSync(path.join(root, 'temp/types-'));
  try {
    writeFileSync(path.join(folder, 'tools.ts'), text);
    const options =
      '--ignoreConfig --noEmit --strict --module nodenext --target es2023 --types node';
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    const args = [compiler, ...options.split(' '), path.join(folder, 'tools.ts')];
    const started = performance.now();
    const said = await promisify(execFile)(process.execPath, args, { cwd: root }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
    return { said, ms: performance.now() - started };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const begin = "import { defineTool } from 'mcp-kit/tools';\n";

test('the types of 200 tools are checked in seconds, and follow from their schemas', async () => {
  const many = Array.from({ length: 200 }, (_, n) => tool(n)).join('\n');
  const { said, ms } = await check(begin + many);
  expect(said).toBe('');
  // About one second by itself.
  expect(ms).toBeLessThan(15_000);
});

test.each([
  ['an argument that is not in the schema', ['{ id, at,', '{ id, att,'], /att/],
  ['an argument of another type', ["fits: 'a' | 'b'", "fits: 'a' | 'c'"], /not assignable/],
  ['a plan without changes', ['changes: [', 'change: ['], /Plan/],
  [
    'an output that is not what the schema says',
    ['return { id: id +', 'return { ix: id +'],
    /ix|id/,
  ],
  ['something the plan does not have', ['{ id, fresh, fits }', '{ id, fresh, fit }'], /fit/],
] as const)('the compiler finds %s', async (_what, [right, wrong], complaint) => {
  const { said } = await check(begin + tool(1).replace(right, wrong));
  expect(said).toMatch(complaint);
});
