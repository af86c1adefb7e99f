// What the examples in cocos share: a copy of the sample project, its server, and a client that calls the tools.
// `--project DIR` works there and leaves it; otherwise the copy goes when the example ends.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openSession } from 'mcp-kit/client';
import { childTarget } from 'mcp-kit/transport/child-process';

/** The program that serves projects; with an installation it is just `mcpctl`. */
export const mcpctl = path.resolve(import.meta.dirname, '../../packages/mcpctl/dist/main.js');

const named = process.argv.indexOf('--project') + 1;

/** Lets `work` use a folder for the project. */
export async function inFolder(work) {
  const given = named > 0 ? process.argv[named] : undefined;
  const folder = path.resolve(given ?? (await mkdtemp(path.join(tmpdir(), 'cocos-example-'))));
  try {
    await work(folder);
  } finally {
    if (given === undefined) await rm(folder, { recursive: true, force: true });
  }
}

/** What calls the tools of a session: answers what a tool answers, and throws what it fails with. */
export function caller(session) {
  return async (tool, args = {}) => {
    const { structuredContent } = await session.callTool(tool, args);
    const { success, data, error } = structuredContent;
    if (success) return data;
    const { code, message, suggestion = '' } = error;
    throw Object.assign(new Error(`${tool}: ${code} ${message} ${suggestion}`), { code });
  };
}

/** Serves a copy of the sample project to `work`, which calls tools, and checks at the end what it did to a scene. */
export function onSample(work, { args = [] } = {}) {
  return inFolder(async (folder) => {
    const serve = [mcpctl, 'cocos', 'serve', '--sample', '--project', folder, ...args];
    const target = childTarget({ command: process.execPath, args: serve });
    const session = await openSession(target, { name: 'example', version: '1.0.0' });
    try {
      const call = caller(session);
      const scenePath = await work(call, { folder, session });
      await conclude(call, scenePath);
    } finally {
      await session.close();
    }
  });
}

/** Makes an empty scene, with nothing but Canvas and camera, and opens it. */
export async function emptyScene(call, name) {
  const scenePath = `assets/scenes/${name}.scene`;
  await call('create_scene_asset', { assetPath: scenePath });
  await call('execute_scene_open', { scenePath });
  return scenePath;
}

/** Shows a scene, and fails if something is wrong with it. */
export async function conclude(call, scenePath) {
  const { tree } = await call('get_scene_tree', { scenePath });
  console.log(tree);
  const { counts, findings } = await call('validate_scene_document', { scenePath });
  console.log(`${scenePath}: ${counts.error} errors, ${counts.warning} warnings`);
  if (counts.error + counts.warning > 0) throw new Error(JSON.stringify(findings, undefined, 2));
}
