// Makes the sample project of the Cocos pack with the pack itself: images, metas, prefabs and scenes. What people write by
// hand (manifest, settings, scripts, data) is taken from packages/cocos/sample. Every run gives the same bytes.
// Run after a build: node scripts/cocos-sample/make.mjs [FOLDER]
import { beginIds } from './ids.mjs';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createMeta, newUuid } from '../../packages/cocos/dist/document/index.js';
import * as edit from '../../packages/cocos/dist/edit/index.js';
import { openProject } from '../../packages/cocos/dist/project/index.js';
import { sampleArt, sampleImages } from './images.mjs';
import { makeButton, makeDialog, makeListItem } from './prefabs.mjs';
import { makeGame, makeMenu } from './scenes.mjs';

const sample = path.resolve(import.meta.dirname, '../../packages/cocos/sample');

const byHand =
  /^(package\.json|tsconfig\.json|\.gitignore|\.creator|settings|assets(\/(scripts|data))?)$|\.ts$|levels\.json$/;

/** Makes the project in a folder. */
export async function makeSample(folder) {
  cpSync(sample, folder, {
    recursive: true,
    filter: (source) => {
      const name = path.relative(sample, source).replaceAll('\\', '/');
      return name === '' || byHand.test(name) || /^(settings|\.creator)\//.test(name);
    },
  });
  mkdirSync(path.join(folder, 'art'));
  for (const [name, bytes] of Object.entries(sampleArt))
    writeFileSync(path.join(folder, 'art', name), bytes);
  const project = await openProject(folder);
  const step = async (label, make) => {
    const workspace = await edit.openWorkspace(project);
    await make(workspace);
    await project.commit(workspace.draft, label);
  };
  await step('scripts', importScripts);
  await step('images', importImages);
  await step('button', makeButton);
  await step('dialog', makeDialog);
  await step('list item', makeListItem);
  await step('menu', makeMenu);
  await step('game', makeGame);
  rmSync(path.join(folder, 'local'), { recursive: true, force: true });
  const current = project.assetAt('assets/scenes/menu.scene').uuid;
  const settings = { __version__: '1.0.3', 'current-scene': current };
  writeFileSync(
    path.join(folder, 'settings/v2/packages/scene.json'),
    `${JSON.stringify(settings, null, 2)}\n`,
  );
}

function importScripts(workspace) {
  beginIds('scripts');
  const folder = { ver: '1.2.0', importer: 'directory', imported: true };
  const none = { files: [], subMetas: {}, userData: {} };
  workspace.draft.writeMeta('assets/scripts', createMeta({ ...folder, uuid: newUuid(), ...none }));
  const head = { ver: '4.0.24', importer: 'typescript', imported: true };
  for (const name of workspace.draft
    .list('assets/scripts')
    .filter((file) => file.endsWith('.ts'))) {
    beginIds(name);
    workspace.draft.writeMeta(
      `assets/scripts/${name}`,
      createMeta({ ...head, uuid: newUuid(), ...none }),
    );
  }
}

async function importImages(workspace) {
  for (const [name, { bytes, border }] of Object.entries(sampleImages)) {
    beginIds(name);
    const file = `assets/textures/${name}`;
    await edit.importImage(workspace, { bytes, path: file });
    if (border === undefined) continue;
    const meta = workspace.draft.meta(file);
    const sides = ['borderTop', 'borderBottom', 'borderLeft', 'borderRight'];
    for (const side of sides) meta.value.subMetas.f9941.userData[side] = border;
    workspace.draft.writeMeta(file, meta);
  }
}

/** Replaces the sample of the repository, or fills the folder given. */
async function main([folder]) {
  const target = folder === undefined ? mkdtempSync(path.join(tmpdir(), 'cocos-sample-')) : folder;
  await makeSample(target);
  if (folder !== undefined) return;
  for (const name of readdirSync(path.join(sample, 'assets')))
    if (name !== 'scripts') rmSync(path.join(sample, 'assets', name), { recursive: true });
  cpSync(target, sample, { recursive: true });
  rmSync(target, { recursive: true });
}

if (import.meta.filename === process.argv[1]) await main(process.argv.slice(2));
