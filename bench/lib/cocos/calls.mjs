// Calls of the tools of the Cocos pack on the large project, as a model makes them: by path, in the open scene.
import path from 'node:path';
import { largeScene, squarePng } from './project.mjs';
import { writeFileSync } from 'node:fs';

/** How long a call may take at the 95th percentile, in milliseconds. */
export const targets = { read: 200, write: 500, workflow: 1500 };

/** Another one in each of 90 rounds, in a scene of 1,000 nodes, too. */
const panel = (round) => `Canvas/Group${round % 10}/Panel${round % 9}`;

const reads = {
  get_project_info: () => ({}),
  get_scene_tree: () => ({ depth: 3, limit: 500 }),
  find_scene_nodes: (round) => ({ name: `Panel${round % 9}`, type: 'cc.Sprite', limit: 50 }),
  get_node_info: (round) => ({ nodeUuid: panel(round) }),
  list_node_components: (round) => ({ nodeUuid: `${panel(round)}/Title` }),
  list_component_classes: () => ({ of: 'scripts' }),
  list_asset_files: (round) => ({ type: 'image', name: `icon-${round}` }),
  get_asset_info: (round) => ({ assetPath: `assets/images/icon-${round}.png` }),
  list_prefab_overrides: (round) => ({ nodeUuid: `Canvas/Shelf/Item${round % 10}` }),
  validate_scene_document: () => ({ limit: 20 }),
};

const writes = {
  create_scene_node: (round) => ({
    parentUuid: panel(round),
    name: `New${round}`,
    element: 'Label',
  }),
  update_node_info: (round) => ({ nodeUuid: `${panel(round)}/Icon`, active: false }),
  set_node_transform: (round) => ({ nodeUuid: panel(round), position: { x: round, y: -round } }),
  move_scene_node: (round) => ({ nodeUuid: `${panel(round)}/Slot`, siblingIndex: round % 2 }),
  create_node_copy: (round) => ({ nodeUuid: `${panel(round)}/Open`, name: `Copy${round}` }),
  delete_scene_node: (round) => ({ nodeUuid: `${panel(round)}/Copy${round}` }),
  create_node_component: (round) => ({
    nodeUuid: `${panel(round)}/New${round}`,
    type: 'cc.Widget',
    properties: { alignFlags: ['TOP'], top: round },
  }),
  set_component_properties: (round) => ({
    componentUuid: `${panel(round)}/Title:cc.Label`,
    properties: { string: `Round ${round}`, color: '#ff8800' },
  }),
  create_prefab_instance: (round) => ({
    assetPath: `assets/prefabs/panel-${round}.prefab`,
    parentUuid: 'Canvas/Shelf',
    name: `Round${round}`,
  }),
  execute_project_undo: () => ({}),
};

const workflows = ({ image }) => ({
  workflow_open_scene_and_validate: () => ({ scenePath: largeScene, limit: 20 }),
  workflow_create_ui_node_with_components: (round) => ({
    parentUuid: panel(round),
    name: `Banner${round}`,
    components: ['cc.Sprite', { type: 'cc.Widget', properties: { alignFlags: ['TOP'], top: 8 } }],
  }),
  workflow_bind_script_to_node: (round) => ({
    nodeUuid: `${panel(round)}/Open`,
    scriptPath: `assets/scripts/Behaviour${round}.ts`,
    properties: { speed: round, title: `${panel(round)}/Title` },
  }),
  workflow_safe_set_transform: (round) => ({
    nodeUuid: `${panel(round)}/Badge`,
    position: { x: 10, y: round },
  }),
  workflow_import_and_assign_sprite: (round) => ({
    sourcePath: image(round),
    targetNodeUuid: `${panel(round)}/Icon`,
    targetFolder: 'assets/images/new',
  }),
  workflow_create_or_update_prefab_instance: (round) => ({
    prefabPath: `assets/prefabs/panel-${round + 40}.prefab`,
    parentUuid: 'Canvas/Shelf',
    name: `Flow${round}`,
    overrides: [{ targetUuid: 'Title:cc.Label', property: 'string', value: `Flow ${round}` }],
  }),
});

/** The calls that are measured: by tool, of which kind it is, and its arguments in a round. */
export function measuredCalls(scratch) {
  const image = (round) => {
    const file = path.join(scratch, `drawn-${round}.png`);
    writeFileSync(file, squarePng(16, [round, 100, 200]));
    return file;
  };
  const kinds = { read: reads, write: writes, workflow: workflows({ image }) };
  return Object.entries(kinds).flatMap(([kind, calls]) =>
    Object.entries(calls).map(([tool, argumentsIn]) => ({ tool, kind, argumentsIn })),
  );
}
