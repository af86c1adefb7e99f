import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import {
  type CocosBackend,
  type EditDefinition,
  edits,
  type HeadlessOptions,
  openHeadless,
} from '#cocos/backend';
import type { Logger } from 'mcp-kit';
import { apps, createServer, skills, type Server } from 'mcp-kit/server';
import type { Store } from 'mcp-kit/store';
import { type Tool, type ToolSet, toolSet } from 'mcp-kit/tools';
import { governed, type GovernanceOptions } from 'mcp-kit/tools/governed';
import { advancedTools } from './advanced-tools.ts';
import { assetTools } from './asset-tools.ts';
import { executeSceneEdits } from './bulk-tool.ts';
import { compactListing } from './compact-listing.ts';
import { listComponentClasses, listNodeComponents } from './component-tools.ts';
import { editTool } from './define-tools.ts';
import { nodeTools } from './node-tools.ts';
import { openSceneLayer } from './open-scenes.ts';
import { listPrefabOverrides } from './prefab-tools.ts';
import { projectKeys } from './project-keys.ts';
import { projectTools } from './project-tools.ts';
import { getScenePicture, pictureApp, validateSceneDocument } from './scene-checks.ts';
import { sceneTools } from './scene-tools.ts';
import { bindScript } from './workflows/bind-script.ts';
import { createUiNode } from './workflows/create-ui-node.ts';
import { importAndAssignSprite } from './workflows/import-sprite.ts';
import { openSceneAndValidate } from './workflows/open-scene.ts';
import { placePrefab } from './workflows/place-prefab.ts';
import { safeSetTransform } from './workflows/set-transform.ts';
import type { WorkflowOptions } from './workflows/workflow-options.ts';

/** How the tools of the pack are governed, and where they keep what they need. */
export interface CocosToolsOptions {
  /** How calls are governed; by default core tools are there. */
  readonly governance?: GovernanceOptions | undefined;
  /** Where keys, used plans and the runs of workflows are kept. Absent: keys and plans in the project, runs in memory. */
  readonly store?: Store | undefined;
  readonly logger?: Logger | undefined;
  readonly version?: string | undefined;
}

/** All tools of the pack, of every layer, in the order in which they are listed. */
export function cocosToolList(
  backend: CocosBackend,
  options: WorkflowOptions = {},
): readonly Tool[] {
  const offered = (group: readonly EditDefinition[]): Tool[] =>
    group.map((definition) => editTool(backend, definition));
  const { node, component, prefab, instance } = edits;
  const list = [
    ...projectTools(backend),
    ...offered(edits.scene),
    ...sceneTools(backend),
    validateSceneDocument(backend),
    ...offered(edits.repair),
    getScenePicture(backend),
    ...nodeTools(backend),
    ...offered(node),
    listNodeComponents(backend),
    ...offered(component),
    listComponentClasses(backend),
    ...offered(prefab),
    listPrefabOverrides(backend),
    ...offered(instance),
    ...assetTools(backend),
    ...offered(edits.asset),
    createUiNode(backend, options),
    bindScript(backend, options),
    safeSetTransform(backend, options),
    importAndAssignSprite(backend, options),
    openSceneAndValidate(backend, options),
    placePrefab(backend, options),
    executeSceneEdits(backend, [...node, ...component, ...prefab, ...instance]),
    ...offered(edits.advanced),
    ...advancedTools(backend),
  ];
  return list.map((each) => ({ prerequisites: prerequisitesOf(each), ...each }));
}

/** What must be so before a tool can do anything. */
function prerequisitesOf({ input }: Tool): readonly string[] {
  const { properties } = Object(input) as { readonly properties?: object };
  return Object.hasOwn(properties ?? {}, 'scenePath') ? ['sceneReady=true'] : ['projectReady=true'];
}

/** The tools of the pack as a feature of a server. */
export function cocosTools(backend: CocosBackend, options: CocosToolsOptions = {}): ToolSet {
  const { governance, store, logger, version = '0.1.0' } = options;
  const ownStore = store ?? governance?.store;
  const keys = ownStore === undefined ? projectKeys(backend.keys) : ownStore;
  const { layers: others = [] } = governance ?? {};
  const layers = [openSceneLayer(backend), ...others];
  const idempotency = { notes: ownStore === undefined, ...governance?.idempotency };
  // Linted by our tests, which takes longer than all else at a start.
  const contract = compactListing(
    governed({ lint: 'off', ...governance, store: keys, idempotency, layers }),
  );
  const tools = cocosToolList(backend, { store, logger });
  return toolSet(tools, { contract, version, logger });
}

/** Which project a server is for, and how it is served. */
export interface CocosServerOptions extends CocosToolsOptions {
  /** The folder of the project; or a backend, which stays the caller's to dispose of. */
  readonly project: string | CocosBackend;
  readonly headless?: HeadlessOptions | undefined;
  /** The folder of the skills that are served as well; by default those of the pack. */
  readonly skills?: string | undefined;
  /** The file of the app that shows pictures of scenes; by default that of the pack. */
  readonly app?: string | undefined;
}

/** The skills that come with the pack. */
const ownSkills = (): string => inPack('skills');
/** The app that comes with the pack. */
const ownApp = (): string => inPack('dist/app/scene-picture.html');

function inPack(name: string): string {
  const { resolve } = createRequire(import.meta.url);
  return path.resolve(resolve('@mcp-kit/cocos/package.json'), '..', name);
}

/** A server for a project, until it is disposed of. */
export interface CocosServer extends AsyncDisposable {
  readonly server: Server;
  readonly tools: ToolSet;
  readonly backend: CocosBackend;
}

/** When writes are in the files. */
const saving = {
  headless: 'Every write is saved at once',
  editor: 'What is done to the open scene is unsaved until execute_scene_save',
};

const instructionsFor = ({ kind }: CocosBackend): string =>
  `Edits a Cocos Creator 3.8 project. Begin with get_project_info, open a scene with execute_scene_open, look at it \
with get_scene_tree. Nodes are named by uuid (8 characters suffice) or by path: Canvas/Stars/Star[1]; components as \
Canvas/Title:cc.Label; assets by path: assets/textures/star.png. scenePath is a scene or prefab, absent: the open one; a client \
without sessions names it in each call. ${saving[kind]}. Writes take dryRun: true to say only what would change, and then \
planToken from that answer to do just that; idempotencyKey, with which a call is done once however often it is repeated; \
timeoutMs and clientTag; edits also storedNames: true, to tell changes as the file has them. execute_project_undo takes the last one back; execute_scene_edits does many at once. Prefer the workflow_ tools for whole tasks. At the end call validate_scene_document.`;

/** Opens a project and makes a server for it; serve it over any transport. */
export async function openCocosServer(options: CocosServerOptions): Promise<CocosServer> {
  const { project, headless, version = '0.1.0' } = options;
  const backend = typeof project === 'string' ? await openHeadless(project, headless) : project;
  const tools = cocosTools(backend, options);
  const instructions = instructionsFor(backend);
  const folder = options.skills ?? ownSkills();
  const guides = skills(folder, { logger: options.logger, watch: false });
  const pages = apps([
    {
      uri: pictureApp,
      name: 'scene-picture',
      title: 'The picture of a scene',
      description: 'Shows a scene or prefab, to zoom, to move, and to select nodes.',
      html: () => readFile(options.app ?? ownApp(), 'utf8'),
    },
  ]);
  const features = [tools, guides, pages];
  const server = createServer({ name: 'cocos', version, instructions, features });
  return {
    server,
    tools,
    backend,
    async [Symbol.asyncDispose]() {
      server.close();
      if (backend !== project) await backend[Symbol.asyncDispose]();
    },
  };
}
