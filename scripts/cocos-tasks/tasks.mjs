// What a model is asked to build from an empty scene of the sample project, and the calls that it takes.

const node = (name, element, more = {}) => ({
  tool: 'create_scene_node',
  arguments: { parentUuid: 'Canvas', name, element, ...more },
  as: name,
});
const set = (componentUuid, properties) => ({
  tool: 'set_component_properties',
  arguments: { componentUuid, properties },
});
const add = (nodeUuid, type, properties = {}) => ({
  tool: 'create_node_component',
  arguments: { nodeUuid, type, properties },
});

/** Looks where it is, makes an empty scene, does what it takes, and looks at what it made. */
function task(name, mostCalls, ...steps) {
  const scenePath = `assets/scenes/new-${name}.scene`;
  return {
    name,
    mostCalls,
    steps: [
      ['get_project_info', {}],
      ['create_scene_asset', { assetPath: scenePath }],
      ['execute_scene_open', { scenePath }],
      ...steps,
      ['validate_scene_document', {}],
    ],
  };
}

const edits = (...parts) => ['execute_scene_edits', { edits: parts.flat() }];

const button = (name, y, handler) => [
  node(name, 'Button', { position: { x: 0, y } }),
  set(`$${name}/Label:cc.Label`, { string: name }),
  set(`$${name}:cc.Button`, {
    clickEvents: [{ target: 'Canvas', component: 'MenuView', handler }],
  }),
];

const row = (name, y, [element, properties]) => [
  node(`${name}Title`, 'Label', { position: { x: -160, y } }),
  set(`$${name}Title:cc.Label`, { string: name }),
  node(name, element, { position: { x: 120, y } }),
  set(`$${name}:cc.${element}`, properties),
];

const heart = (at) => [
  node(`Heart${at}`, 'Sprite', {
    position: { x: 320 + at * 44, y: 280 },
    size: { width: 40, height: 40 },
  }),
  set(`$Heart${at}:cc.Sprite`, {
    sizeMode: 'CUSTOM',
    spriteFrame: 'assets/textures/heart.png',
  }),
];

const cell = (at) => [
  node(`Slot${at}`, 'Sprite', {
    parentUuid: '$Inventory/view/content',
    size: { width: 72, height: 72 },
  }),
  set(`$Slot${at}:cc.Sprite`, {
    sizeMode: 'CUSTOM',
    type: 'SLICED',
    spriteFrame: 'assets/textures/panel.png',
  }),
];

/** Each of them. */
export const tasks = [
  task(
    'menu',
    12,
    ['list_component_classes', {}],
    ['list_component_classes', { type: 'MenuView' }],
    edits(
      node('Title', 'Label', { position: { x: 0, y: 200 } }),
      set('$Title:cc.Label', { string: 'My game', fontSize: 64, lineHeight: 70 }),
    ),
    [
      'workflow_bind_script_to_node',
      {
        nodeUuid: 'Canvas',
        scriptPath: 'MenuView',
        properties: { title: 'Canvas/Title', gameScene: 'game' },
      },
    ],
    edits(
      button('Play', 80, 'onPlay'),
      button('Options', 0, 'onSettings'),
      button('Quit', -80, 'onQuit'),
    ),
    ['get_scene_tree', {}],
  ),
  task(
    'hud',
    14,
    ['list_component_classes', { type: 'HudView' }],
    ['list_asset_files', { type: 'image' }],
    edits(
      node('Score', 'Label'),
      set('$Score:cc.Label', { string: '0', fontSize: 36 }),
      add('$Score', 'cc.Widget', { alignFlags: ['TOP', 'LEFT'], top: 20, left: 24 }),
      node('Health', 'ProgressBar'),
      set('$Health:cc.ProgressBar', { progress: 0.75 }),
      add('$Health', 'cc.Widget', { alignFlags: ['TOP', 'CENTER'], top: 20 }),
      [0, 1, 2].flatMap(heart),
    ),
    [
      'workflow_bind_script_to_node',
      {
        nodeUuid: 'Canvas',
        scriptPath: 'HudView',
        properties: {
          score: 'Canvas/Score',
          health: 'Canvas/Health',
          hearts: ['Canvas/Heart0', 'Canvas/Heart1', 'Canvas/Heart2'],
          lives: 3,
        },
      },
    ],
    ['get_scene_tree', {}],
  ),
  task(
    'dialog',
    14,
    ['list_asset_files', { type: 'image' }],
    edits(
      node('Question', 'Sprite', { size: { width: 420, height: 260 } }),
      set('$Question:cc.Sprite', {
        spriteFrame: 'assets/textures/panel.png',
        type: 'SLICED',
        sizeMode: 'CUSTOM',
      }),
      add('$Question', 'cc.BlockInputEvents'),
      node('Text', 'Label', { parentUuid: '$Question', position: { x: 0, y: 50 } }),
      set('$Text:cc.Label', { string: 'Are you sure?', fontSize: 30, color: '#402a10' }),
      ...['Yes', 'No'].flatMap((name, at) => [
        node(name, 'Button', {
          parentUuid: '$Question',
          position: { x: at * 180 - 90, y: -70 },
        }),
        set(`$${name}/Label:cc.Label`, { string: name }),
      ]),
    ),
    [
      'create_prefab_asset',
      { nodeUuid: 'Canvas/Question', assetPath: 'assets/prefabs/question.prefab' },
    ],
    ['update_node_info', { nodeUuid: 'Canvas/Question', active: false }],
    ['get_scene_tree', { expandInstances: true }],
  ),
  task(
    'inventory',
    14,
    edits(
      node('Inventory', 'ScrollView', { size: { width: 420, height: 400 } }),
      add('$Inventory/view/content', 'cc.Layout', {
        type: 'GRID',
        resizeMode: 'CONTAINER',
        paddingTop: 8,
        paddingLeft: 8,
        spacingX: 8,
        spacingY: 8,
      }),
      [0, 1, 2, 3, 4, 5, 6, 7].flatMap(cell),
    ),
    ['get_scene_tree', { nodeUuid: 'Canvas/Inventory' }],
  ),
  task(
    'settings',
    14,
    edits(
      row('Volume', 150, ['Slider', { progress: 0.6 }]),
      row('Music', 60, ['Toggle', { isChecked: true }]),
      row('Vibration', -30, ['Toggle', { isChecked: false }]),
      row('PlayerName', -120, ['EditBox', { maxLength: 12 }]),
    ),
    ['get_scene_tree', {}],
  ),
];
