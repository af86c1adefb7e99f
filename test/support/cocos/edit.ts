import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkTable, type Json, newUuid, parseTable, printTable } from '@mcp-kit/cocos/document';
import {
  createScene,
  openDocument,
  openWorkspace,
  type SceneDocument,
  type Workspace,
} from '@mcp-kit/cocos/edit';
import { openProject, type Project } from '@mcp-kit/cocos/project';
import { afterEach, beforeEach, expect } from 'vitest';
import { menuScript } from './menu.ts';
import { inMemory } from './project.ts';

const menuSource = menuScript('onPlay', 'onStop', 'close');

/** The project of the test that runs: its folder, a workspace on it, and an open scene. */
export let folder: string;
export let project: Project;
export let workspace: Workspace;
export let scene: SceneDocument;
export const menuUuid = newUuid();

/** Lets every test of a file have a new project with an open scene. */
export function newSceneForEach(): void {
  beforeEach(async () => {
    folder = mkdtempSync(path.join(inMemory, 'cocos-edit-'));
    const creator = { version: '3.8.6' };
    write('package.json', JSON.stringify({ name: 'game', uuid: newUuid(), creator }));
    write('assets/scripts.meta', meta('directory', newUuid()));
    write('assets/scripts/menu.ts', menuSource);
    write('assets/scripts/menu.ts.meta', meta('typescript', menuUuid));
    project = await openProject(folder);
    workspace = await openWorkspace(project);
    createScene(workspace, { path: 'assets/main.scene' });
    scene = openDocument(workspace, 'assets/main.scene');
  });

  afterEach(() => {
    project[Symbol.dispose]();
    rmSync(folder, { recursive: true });
  });
}

/** Writes a file of the project. */
function write(name: string, text: string): void {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** The text of a meta. */
function meta(importer: string, uuid: string): string {
  const value = {
    ver: '4.0.24',
    importer,
    imported: true,
    uuid,
    files: [],
    subMetas: {},
    userData: {},
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** What a document would be on the disk, sound and in the order of the editor. */
export function printed(document: SceneDocument): ReturnType<typeof parseTable> {
  const table = parseTable(printTable(document.view.table), document.path);
  expect(checkTable(table)).toEqual([]);
  expect(table.arrangement().canonical).toBe(true);
  return table;
}

/** What a field of a node or component is. */
export function valueOf(document: SceneDocument, handle: string, field: string): Json | undefined {
  return document.view.at(document.view.get(handle).index)[field];
}

/** The code that an action fails with. */
export function code(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    return (error as { code: string }).code;
  }
  return 'none';
}

/** The names of the children of a node. */
export function names({ view }: SceneDocument, reference: string): string[] {
  return view.children(view.get(reference).index).map(({ index }) => view.name(index));
}
