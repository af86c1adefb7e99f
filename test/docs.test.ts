import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { Child, root, shell } from './support/child-process.ts';
import { requireBuild } from './support/cli.ts';
import { lastingPort } from './support/lasting-port.ts';
import { anchors, blocks, pages, prose, read } from './support/markdown.ts';

beforeAll(requireBuild);

/** What a person would type, on a port that is free here. */
async function onFreePort(command: string): Promise<string> {
  const port = await lastingPort();
  return command
    .replaceAll('7420', String(port))
    .replace(/^npm start$/m, `npm start -- --port ${port}`);
}

/** The programs of the packages are on the PATH, as `npx` has it. */
const env = {
  ...process.env,
  PATH: `${path.join(root, 'node_modules/.bin')}${path.delimiter}${process.env['PATH']}`,
};

/** Runs a command that prints messages; each must be a result. */
async function mustAnswer(command: string): Promise<void> {
  const { code, stdout, stderr } = await shell(command, { env });
  expect(code, `${command}\n${stdout}\n${stderr}`).toBe(0);
  const answers = stdout.trim().split('\n');
  for (const answer of answers) expect(JSON.parse(answer)).toHaveProperty('result');
}

const withShell = pages.filter((page) =>
  blocks(read(page)).some(({ info }) => info.startsWith('sh')),
);
const withPrograms = pages.filter((page) => blocks(read(page)).some(({ info }) => info === 'js'));

describe('the commands on a page', () => {
  // A server may have to be built first.
  test.each(withShell)('of %s work as they are written', async (page) => {
    let served:
      | { readonly child: Child; readonly section: number; readonly port: string }
      | undefined;
    const end = async (): Promise<void> => {
      await served?.child.stop('SIGTERM');
      served = undefined;
    };
    try {
      for (const { info, body, section } of blocks(read(page))) {
        if (served !== undefined && served.section !== section) await end();
        if (info === 'sh serve') {
          const command = await onFreePort(body);
          const child = new Child('bash', ['-c', command]);
          served = { child, section, port: /\d{4,5}/.exec(command)?.[0] ?? '' };
          await child.until(() => (child.stdout.includes('Ctrl-C') ? true : undefined));
        } else if (info === 'sh') {
          await mustAnswer(body.replaceAll('7420', served?.port ?? '7420'));
        }
      }
      await end();
    } finally {
      await served?.child[Symbol.asyncDispose]();
    }
  });
});

describe('the program on a page', () => {
  test.each(withPrograms)('%s runs, and ends when its input ends', async (page) => {
    const parts = blocks(read(page)).filter(({ info }) => info === 'js');
    const source = parts.map(({ body }) => body).join('\n');
    mkdirSync(path.join(root, 'temp'), { recursive: true });
    // Inside the repository, so that its packages are found.
    const folder = mkdtempSync(path.join(root, 'temp/docs-'));
    try {
      const file = path.join(folder, 'program.mjs');
      writeFileSync(file, source);
      await using child = new Child(process.execPath, [file]);
      child.process.stdin.end();
      const { code } = await child.ended;
      expect({ code, stderr: child.stderr }).toEqual({ code: 0, stderr: '' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('README.md is the example it names', () => {
    const [program] = blocks(read('README.md')).filter(({ info }) => info === 'js');
    expect(program?.body).toBe(read('examples/first-tool.mjs'));
  });
});

describe.each(pages)('%s', (page) => {
  const text = read(page);

  test('has only kinds of blocks that are looked after', () => {
    const kinds = blocks(text).map(({ info }) => info);
    const known = /^(sh|sh serve|sh try( exits \d)?|js|json|text|text output)$/;
    expect(kinds.filter((kind) => !known.test(kind))).toEqual([]);
    for (const { body } of blocks(text).filter(({ info }) => info === 'json')) JSON.parse(body);
  });

  test('links only to what is there', () => {
    const targets = [...prose(text).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(
      ([, target]) => target ?? '',
    );
    const broken = targets.filter((target) => {
      const [file = '', anchor] = target.split('#');
      const linked = file === '' ? page : path.join(path.dirname(page), file);
      if (!existsSync(path.join(root, linked))) return true;
      return anchor !== undefined && !anchors(read(linked)).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test('names only files that are there', () => {
    const ours = /(?<![\w/.-])(?:\.ci|bench|docs|examples|packages|scripts|test)\/[\w./-]*[\w/]/g;
    const layers =
      /(?<![\w/.-])(?:base|client|jsonrpc|protocol|schema|server|store|testing|tools|transport)\/[\w./-]+\.ts/g;
    const named = [
      ...[...text.matchAll(ours)].map(([name]) => name),
      ...[...text.matchAll(layers)].map(([name]) => `packages/mcp-kit/src/${name}`),
    ];
    expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
  });

  test('calls the eras legacy and modern', () => {
    expect(
      text.match(/\b(?:older|newer|old|new|handshake|stateless|session) eras?\b/gi),
    ).toBeNull();
  });

  test('names only npm scripts that exist', () => {
    const manifest = JSON.parse(read('package.json')) as { readonly scripts: object };
    const named = [...text.matchAll(/\bnpm (?:run ([a-z-]+)|(start|test)\b)/g)].map(
      ([, run, own]) => run ?? own ?? '',
    );
    expect(named.filter((name) => !Object.hasOwn(manifest.scripts, name))).toEqual([]);
  });
});
