// What the editor loads. It runs in whatever Node the editor has, so that it must do without anything that is new.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as ServerModule from './server.ts';
import type { RunningServer } from './server.ts';
import { isNewEnough, startSeparately } from './separate-server.ts';

/** What the panel shows. */
export interface Status {
  readonly state: 'stopped' | 'starting' | 'running' | 'failed';
  readonly url: string;
  /** Why it does not run. */
  readonly problem: string;
  /** What a client is configured with. */
  readonly config: string;
}

let starting: Promise<RunningServer> | undefined;
let shown: Pick<Status, 'state' | 'url' | 'problem'> = { state: 'stopped', url: '', problem: '' };

async function launch(): Promise<RunningServer> {
  const project = Editor.Project.path;
  const isForced = process.env['MCP_KIT_SEPARATE'] === '1';
  if (isForced || !isNewEnough(process.version)) {
    return startSeparately(join(__dirname, 'child.mjs'), project);
  }
  const file = pathToFileURL(join(__dirname, 'server.mjs')).href;
  const { startServer } = (await import(file)) as typeof ServerModule;
  const request = (channel: string, method: string, ...args: readonly unknown[]) =>
    Editor.Message.request(channel, method, ...args);
  return startServer({ request }, project);
}

async function start(): Promise<Status> {
  if (starting === undefined) {
    shown = { state: 'starting', url: '', problem: '' };
    starting = launch();
  }
  try {
    const { url } = await starting;
    if (shown.state === 'starting') shown = { state: 'running', url, problem: '' };
  } catch (error) {
    starting = undefined;
    const problem = error instanceof Error ? error.message : String(error);
    shown = { state: 'failed', url: '', problem };
  }
  return status();
}

async function stop(): Promise<Status> {
  const running = starting;
  starting = undefined;
  shown = { state: 'stopped', url: '', problem: '' };
  if (running !== undefined) {
    await running.then(
      (server) => server.close(),
      () => undefined,
    );
  }
  return status();
}

function status(): Status {
  const { url } = shown;
  const config = { mcpServers: { cocos: { type: 'http', url } } };
  return { ...shown, config: url === '' ? '' : JSON.stringify(config, null, 2) };
}

/** Called by the messages of the manifest. */
export const methods: Readonly<Record<'openPanel' | 'start' | 'stop' | 'status', () => unknown>> = {
  openPanel: (): unknown => Editor.Panel.open('mcp-kit-cocos'),
  start,
  stop,
  status,
};

/** Called when the extension is enabled. */
export async function load(): Promise<void> {
  await start();
}

/** Called when the extension is disabled, and when the editor ends. */
export async function unload(): Promise<void> {
  await stop();
}
