import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { getSkill, openSession, readSkillFile, type Session } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bundleProgram } from '../../support/bundle-program.ts';
import { newGame } from '../../support/cocos/game.ts';

/** What the panel is told. */
interface Status {
  readonly state: string;
  readonly url: string;
  readonly problem: string;
  readonly config: string;
}

const root = path.resolve(import.meta.dirname, '../../..');
let output: string;
let extension: string;
let archive: string;
let creator: string;

beforeAll(async () => {
  output = mkdtempSync(path.join(tmpdir(), 'extension-'));
  const script = path.join(root, 'scripts/bundle-extension.mjs');
  const made = spawnSync(process.execPath, [script, output], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  [extension = '', archive = ''] = made.stdout.trim().split('\n');
  creator = path.join(output, 'creator.mjs');
  await bundleProgram(path.join(import.meta.dirname, 'child/creator.ts'), creator);
});

afterAll(() => rmSync(output, { recursive: true, force: true }));

/** An editor with the extension loaded. */
class Creator implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor(project: string, environment: NodeJS.ProcessEnv = {}) {
    const env = { ...process.env, ...environment };
    this.#child = fork(creator, [extension, project], { env, execArgv: [] });
  }

  /** What it says next. */
  async status(): Promise<Status> {
    const stop = new AbortController();
    const ended = once(this.#child, 'exit', stop).then(() => {
      throw new Error('the editor ended');
    });
    const said = once(this.#child, 'message', stop);
    const [message] = (await Promise.race([said, ended])) as [{ status: Status }];
    ended.catch(() => undefined);
    stop.abort();
    return message.status;
  }

  async ask(message: 'start' | 'stop'): Promise<Status> {
    const next = this.status();
    this.#child.send(message);
    return next;
  }

  /** Unloads the extension; gives what the process ends with, by itself. */
  async unload(): Promise<number | null> {
    const ended = once(this.#child, 'exit');
    this.#child.send('unload');
    const [code] = (await ended) as [number | null];
    return code;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}

const connect = (url: string): Promise<Session> =>
  openSession(httpTarget(url), { name: 'test', version: '1.0.0' });

it.each([
  ['in the process of the editor', {}],
  ['in a process beside an editor whose Node is old', { MCP_KIT_SEPARATE: '1' }],
])('serves the open project %s, and leaves nothing behind', async (_where, environment) => {
  using game = newGame();
  await using editor = new Creator(game.folder, environment);
  const { state, url, config } = await editor.status();
  expect(state).toBe('running');
  expect(JSON.parse(config)).toEqual({ mcpServers: { cocos: { type: 'http', url } } });
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  const session = await connect(url);
  try {
    const info = await session.callTool('get_project_info');
    expect(JSON.stringify(info.structuredContent)).toContain('"editor"');
    const skill = await getSkill(session, 'skill://build-cocos-ui/SKILL.md');
    expect(Buffer.from(await readSkillFile(session, skill)).toString()).toContain('menu');
    const made = await session.callTool('create_scene_node', {
      parentUuid: 'Canvas',
      name: 'Play',
      element: 'Button',
    });
    expect(made.isError).not.toBe(true);
    const tree = await session.callTool('get_scene_tree');
    expect(JSON.stringify(tree.structuredContent)).toContain('Play');
    expect(game.read('assets/main.scene')).not.toContain('"Play"');
    const scenePath = 'assets/main.scene';
    const saved = await session.callTool('execute_scene_save', { scenePath });
    expect(saved.isError).not.toBe(true);
    expect(game.read('assets/main.scene')).toContain('"Play"');
  } finally {
    await session.close();
  }
  const presence = path.join(game.folder, 'local/mcp-kit/editor.json');
  expect(JSON.parse(readFileSync(presence, 'utf8'))).toMatchObject({ url });
  expect(await editor.unload()).toBe(0);
  expect(existsSync(presence)).toBe(false);
  await expect(connect(url)).rejects.toThrow('cannot reach');
});

it('takes another port where its own is taken, and starts and stops by the panel', async () => {
  using game = newGame();
  const taken = await occupy(3838);
  try {
    await using editor = new Creator(game.folder);
    const { url } = await editor.status();
    expect(new URL(url).port).not.toBe('3838');
    expect(await editor.ask('stop')).toMatchObject({ state: 'stopped', url: '', config: '' });
    expect(await editor.ask('start')).toMatchObject({ state: 'running' });
    expect(await editor.unload()).toBe(0);
  } finally {
    taken?.close();
  }
});

/** Takes a port, unless somebody has it already. */
async function occupy(port: number): Promise<Server | undefined> {
  const server = createServer();
  const listening = once(server, 'listening');
  server.listen(port, '127.0.0.1');
  return listening.then(
    () => server,
    () => undefined,
  );
}

it('says in its status why it does not run', async () => {
  using game = newGame();
  await using editor = new Creator(game.folder, {
    MCP_KIT_SEPARATE: '1',
    MCP_KIT_NODE: path.join(output, 'no-such-node'),
  });
  const { state, problem } = await editor.status();
  expect(state).toBe('failed');
  expect(problem).toContain('Install Node from nodejs.org');
  expect(await editor.unload()).toBe(0);
});

it('has a manifest whose files are all there, in the folder and in the zip file', () => {
  const manifest = JSON.parse(readFileSync(path.join(extension, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ package_version: 2, editor: '>=3.8.0' });
  const { main, panels, contributions } = manifest;
  for (const file of [main, panels.default.main, contributions.scene.script]) {
    expect(existsSync(path.join(extension, file))).toBe(true);
  }
  const names = new Set<string>();
  const bytes = readFileSync(archive);
  for (let at = bytes.readUInt32LE(bytes.length - 6); bytes.readUInt32LE(at) === 0x02014b50;) {
    const length = bytes.readUInt16LE(at + 28);
    names.add(bytes.toString('utf8', at + 46, at + 46 + length));
    at += 46 + length;
  }
  expect(names).toContain('mcp-kit-cocos/package.json');
  expect(names).toContain('mcp-kit-cocos/main.js');
});

it('is in the npm package, and so are the reports', () => {
  const args = ['pack', path.join(root, 'packages/cocos'), '--silent'];
  const packed = spawnSync('npm', args, { cwd: output, encoding: 'utf8' });
  const name = packed.stdout.trim().split('\n').at(-1) ?? '';
  const files = gunzipSync(readFileSync(path.join(output, name)));
  expect(files.includes('package/extension/dist/mcp-kit-cocos.zip')).toBe(true);
  for (const report of readdirSync(path.join(root, 'docs/reports'))) {
    expect(files.includes(`package/reports/${report}`)).toBe(true);
  }
});

/** Loads a script of the extension with what the editor gives to it. */
function loadScript(name: string, globals: object): unknown {
  Object.assign(globalThis, globals);
  const require = createRequire(import.meta.url);
  return require(path.join(extension, name));
}

it('reads the open scene from the engine, by the script in the scene', () => {
  const app = path.join(output, 'app');
  mkdirSync(path.join(app, 'node_modules/cc'), { recursive: true });
  writeFileSync(
    path.join(app, 'node_modules/cc/index.js'),
    `exports.SceneAsset = class {};
     exports.director = { getScene: () => ({ uuid: 'scene-uuid', name: 'main' }) };`,
  );
  const { methods } = loadScript('scene.js', {
    Editor: { App: { path: app } },
    EditorExtends: { serialize: (asset: object) => JSON.stringify(asset) },
    cce: undefined,
  }) as { methods: Record<string, () => unknown> };
  const shown = { uuid: 'scene-uuid', mode: 'general' };
  expect(methods['showOpenScene']?.()).toEqual(shown);
  const scene = { uuid: 'scene-uuid', name: 'main' };
  expect(methods['readOpenScene']?.()).toEqual({
    ...shown,
    text: JSON.stringify({ _name: 'main', scene }),
  });
  const facade = { queryMode: () => 'prefab', queryCurrentSceneUuid: () => 'prefab-uuid' };
  Object.assign(globalThis, { cce: { SceneFacadeManager: facade } });
  expect(methods['readOpenScene']?.()).toEqual({ uuid: 'prefab-uuid', mode: 'prefab' });
});

interface Panel {
  readonly $: Record<string, string>;
  ready(this: object): Promise<void>;
  close(this: object): void;
}

it('shows address and state in the panel, and copies the configuration', async () => {
  const status = { state: 'running', url: 'http://127.0.0.1:1/mcp', problem: '', config: '{}' };
  const copied: string[] = [];
  const asked: string[] = [];
  const panel = loadScript('panel.js', {
    Editor: {
      Message: {
        request: async (_channel: string, message: string) => {
          asked.push(message);
          return status;
        },
      },
      Clipboard: { write: (_type: string, text: string) => copied.push(text) > 0 },
    },
  }) as Panel;
  const parts = Object.fromEntries(Object.keys(panel.$).map((name) => [name, newPart()]));
  const self = { $: parts };
  await panel.ready.call(self);
  expect(parts['url']?.textContent).toBe(status.url);
  expect(parts['state']?.textContent).toBe('Running');
  parts['copy']?.click();
  expect(copied).toEqual(['{}']);
  expect(parts['said']?.textContent).toBe('Copied');
  parts['switch']?.click();
  expect(asked).toEqual(['status', 'stop']);
  panel.close.call(self);
});

/** As much of an element of a page as the panel uses. */
function newPart(): { textContent: string; click: () => void; addEventListener: Listen } {
  let listener = (): void => undefined;
  return {
    textContent: '',
    click: () => listener(),
    addEventListener: (_name, added) => {
      listener = added;
    },
  };
}

type Listen = (name: string, listener: () => void) => void;
