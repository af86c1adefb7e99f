import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';

beforeAll(requireBuild);

const tool = (n: number): string => `
export const tool${n} = tool({
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

const begin = "import { tool } from 'mcp-kit/tools';\n";
const tools = 200;

const mistakes = [
  ['an argument that is not in the schema', ['{ id, at,', '{ id, att,'], /att/],
  ['an argument of another type', ["fits: 'a' | 'b'", "fits: 'a' | 'c'"], /not assignable/],
  ['a plan without changes', ['changes: [', 'change: ['], /Plan/],
  [
    'an output that is not what the schema says',
    ['return { id: id +', 'return { ix: id +'],
    /ix|id/,
  ],
  ['something the plan does not have', ['{ id, fresh, fits }', '{ id, fresh, fit }'], /fit/],
] as const;

/** What the compiler says of these files as an author's project would have them, and of its work. */
async function check(files: Readonly<Record<string, string>>): Promise<string> {
  mkdirSync(path.join(root, 'temp'), { recursive: true });
  // Inside the repository, so that its packages are found.
  const folder = mkdtempSync(path.join(root, 'temp/types-'));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
    const options =
      '--ignoreConfig --noEmit --strict --module nodenext --target es2023 --types node --extendedDiagnostics';
    const compiler = path.join(root, 'node_modules/typescript/bin/tsc');
    const names = Object.keys(files).map((name) => path.join(folder, name));
    const args = [compiler, ...options.split(' '), ...names];
    return await promisify(execFile)(process.execPath, args, { cwd: root }).then(
      ({ stdout }) => stdout,
      ({ stdout }: { stdout: string }) => stdout,
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

let said: string;

beforeAll(async () => {
  const files: Record<string, string> = {
    'many.ts': begin + Array.from({ length: tools }, (_, n) => tool(n)).join('\n'),
  };
  for (const [at, [, [right, wrong]]] of mistakes.entries()) {
    files[`mistake${at}.ts`] = begin + tool(1).replace(right, wrong);
  }
  said = await check(files);
});

const complaintsIn = (file: string): string[] =>
  said.split('\n').filter((line) => line.includes(`${file}(`));

test(`the types of ${tools} tools follow from their schemas, at a cost that grows with them`, () => {
  expect(complaintsIn('many.ts')).toEqual([]);
  const instantiations = Number(/^Instantiations:\s+(\d+)/m.exec(said)?.[1]);
  expect(instantiations / tools).toBeLessThan(5000);
});

test.each(mistakes.map(([what, , complaint], at) => [what, at, complaint] as const))(
  'the compiler finds %s',
  (_what, at, complaint) => {
    expect(complaintsIn(`mistake${at}.ts`).join('\n')).toMatch(complaint);
  },
);
