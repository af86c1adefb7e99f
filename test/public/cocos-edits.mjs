// Random edits of any Cocos project, as a client makes them: most can be done, some are wrong on purpose.

/** Random choices that are the same for the same seed. */
export function chooser(seed) {
  let state = seed >>> 0;
  const random = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count) => Math.floor(random() * count);
  return {
    below,
    one: (list) => list[below(list.length)],
    happens: (share) => random() < share,
    number: () => Math.round((random() * 2000 - 1000) * 4) / 4,
  };
}

const elements = ['Node', 'Sprite', 'Label', 'Button', 'EditBox', 'Layout', 'ScrollView', 'Toggle'];
const texts = ['', 'Play', 'zwölf\n"Wörter"', '你好', '<b>bold</b>', '\u0000', 'x'.repeat(300)];

/** Whether an asset is a scene or prefab of its own: models have prefabs, too, which nobody can edit. */
export const isDocument = (path) => /\.(?:scene|prefab)$/.test(path);

const vector = ({ number }) => ({ x: number(), y: number(), z: number() });

/** What is known of a project, looked up when an edit needs it: others may have changed it since. */
function lookUp(ask, choose) {
  const dataOf = async (tool, args) => (await ask(tool, args)).data ?? {};
  const classes = new Map();
  const look = {
    /** The assets of a type, all of them. */
    async assets(type) {
      const { assets = [] } = await dataOf('list_asset_files', { type, limit: 500 });
      return assets.map((asset) => asset.assetPath).filter((path) => path.startsWith('assets/'));
    },
    async document() {
      const [type, other] = choose.happens(0.5) ? ['scene', 'prefab'] : ['prefab', 'scene'];
      const found = (await look.assets(type)).filter(isDocument);
      return choose.one(found.length > 0 ? found : (await look.assets(other)).filter(isDocument));
    },
    /** Some nodes of a scene or prefab, also of what is in instances. */
    async nodes(scenePath) {
      const { total = 0 } = await dataOf('find_scene_nodes', { scenePath, limit: 1 });
      const offset = choose.below(Math.max(1, total - 20));
      const { nodes = [] } = await dataOf('find_scene_nodes', { scenePath, offset, limit: 20 });
      return nodes;
    },
    /** A scene or prefab, a node of it, and another one. */
    async place() {
      const scenePath = await look.document();
      const nodes = await look.nodes(scenePath);
      const at = choose.one(nodes)?.nodeUuid ?? 'Canvas';
      return { scenePath, nodes, at, other: choose.one(nodes)?.nodeUuid ?? 'Canvas' };
    },
    /** A component that is there. */
    async component() {
      const { scenePath, nodes } = await look.place();
      const node = choose.one(nodes.filter(({ components }) => components.length > 0));
      if (node === undefined) return { scenePath, componentUuid: 'Canvas:cc.Canvas' };
      const where = { scenePath, nodeUuid: node.nodeUuid };
      const { components = [] } = await dataOf('list_node_components', where);
      return { scenePath, nodes, ...choose.one(components) };
    },
    /** What is known of the properties of a class. */
    async properties(type) {
      if (!classes.has(type)) {
        const { classes: [told] = [] } = await dataOf('list_component_classes', { type });
        classes.set(type, told?.properties ?? []);
      }
      return classes.get(type);
    },
    async className() {
      const of = choose.happens(0.6) ? 'engine' : 'scripts';
      const { classes: all = [] } = await dataOf('list_component_classes', { of, limit: 200 });
      return choose.one(all)?.name ?? 'cc.Sprite';
    },
  };
  return look;
}

const assetTypes = {
  'cc.SpriteFrame': 'image',
  'cc.Prefab': 'prefab',
  'cc.Material': 'material',
  'cc.Font': 'font',
  'cc.AudioClip': 'audio',
  'cc.AnimationClip': 'animation',
};

const values = {
  number: ({ number }) => number(),
  integer: ({ below }) => below(100),
  boolean: ({ happens }) => happens(0.5),
  string: ({ one }) => one(texts),
  'cc.Color': ({ below }) => ({ r: below(256), g: below(256), b: below(256), a: below(256) }),
  'cc.Vec2': ({ number }) => ({ x: number(), y: number() }),
  'cc.Vec3': vector,
  'cc.Size': ({ below }) => ({ width: below(500), height: below(500) }),
  'cc.Rect': ({ below }) => ({ x: 0, y: 0, width: below(2), height: below(2) }),
};

/** A value for a property, of its type, or sometimes of another. */
async function valueFor({ type = '', values: names }, { choose, look, nodes = [] }) {
  if (choose.happens(0.08)) return choose.one([null, 'wrong', -1, [], {}, { x: 'far' }, true]);
  if (type.endsWith('[]')) {
    const element = { type: type.slice(0, -2), values: names };
    const count = choose.below(3);
    const list = [];
    while (list.length < count) list.push(await valueFor(element, { choose, look, nodes }));
    return list;
  }
  if (names !== undefined) return choose.one(names);
  if (type in values) return values[type](choose);
  if (type === 'cc.ClickEvent') {
    const target = choose.one(nodes)?.nodeUuid;
    return { target, component: await look.className(), handler: 'onClick' };
  }
  if (type in assetTypes) return choose.one(await look.assets(assetTypes[type])) ?? null;
  return choose.happens(0.3) ? null : (choose.one(nodes)?.nodeUuid ?? null);
}

const nodeEdits = {
  async create_scene_node({ choose, look }) {
    const { scenePath, at: parentUuid } = await look.place();
    const name = choose.one(['Extra', 'Über', 'a/b', '', 'Panel']);
    return { scenePath, parentUuid, name, element: choose.one(elements), position: vector(choose) };
  },
  async update_node_info({ choose, look }) {
    const { scenePath, at: nodeUuid } = await look.place();
    const layer = choose.one(['UI_2D', 'DEFAULT', 1 << 3]);
    const changes = [
      { name: 'Renamed' },
      { active: choose.happens(0.5) },
      { layer },
      { locked: true },
    ];
    return { scenePath, nodeUuid, ...choose.one(changes) };
  },
  async set_node_transform({ choose, look }) {
    const { scenePath, at: nodeUuid } = await look.place();
    const part = choose.one(['position', 'rotation', 'scale']);
    return { scenePath, nodeUuid, [part]: vector(choose) };
  },
  async move_scene_node({ choose, look }) {
    const { scenePath, at: nodeUuid, other: parentUuid } = await look.place();
    const keepWorldTransform = choose.happens(0.5);
    return choose.happens(0.5)
      ? { scenePath, nodeUuid, parentUuid, keepWorldTransform }
      : { scenePath, nodeUuid, siblingIndex: choose.below(4) };
  },
  async create_node_copy({ look }) {
    const { scenePath, at: nodeUuid } = await look.place();
    return { scenePath, nodeUuid };
  },
  async delete_scene_node({ look }) {
    const { scenePath, at: nodeUuid } = await look.place();
    return { scenePath, nodeUuid };
  },
};

const componentEdits = {
  async create_node_component({ look }) {
    const { scenePath, at: nodeUuid } = await look.place();
    return { scenePath, nodeUuid, type: await look.className() };
  },
  async set_component_properties({ choose, look }) {
    const { scenePath, nodes, componentUuid, type } = await look.component();
    const property = choose.one(await look.properties(type));
    if (property === undefined) return { scenePath, componentUuid, enabled: choose.happens(0.5) };
    const value = await valueFor(property, { choose, look, nodes });
    return { scenePath, componentUuid, properties: { [property.name]: value } };
  },
  async delete_node_component({ choose, look }) {
    const { scenePath, componentUuid } = await look.component();
    return { scenePath, componentUuid, force: choose.happens(0.2) };
  },
  async set_scene_value({ choose, look }) {
    const { scenePath, componentUuid: targetUuid } = await look.component();
    const property = choose.one(['_enabled', '_name', '_contentSize.width', 'none.there']);
    return { scenePath, targetUuid, property, value: choose.one([true, 'x', choose.number()]) };
  },
};

/** An instance of a prefab, where the document has one. */
async function instanceIn(look) {
  const { scenePath, nodes, at } = await look.place();
  return { scenePath, nodeUuid: at, nodes };
}

const prefabEdits = {
  async create_prefab_asset({ choose, look }) {
    const { scenePath, at: nodeUuid } = await look.place();
    const assetPath = `assets/made/part-${choose.below(1000)}.prefab`;
    return { scenePath, nodeUuid, assetPath, keepNode: choose.happens(0.3) };
  },
  async create_prefab_instance({ choose, look }) {
    const { scenePath, at: parentUuid } = await look.place();
    const assetPath = choose.one(await look.assets('prefab')) ?? 'assets/none.prefab';
    return { scenePath, parentUuid, assetPath };
  },
  async execute_prefab_revert({ look }) {
    const { scenePath, nodeUuid } = await instanceIn(look);
    return { scenePath, nodeUuid };
  },
  async execute_prefab_apply({ look }) {
    const { scenePath, nodeUuid } = await instanceIn(look);
    return { scenePath, nodeUuid };
  },
  async execute_prefab_unpack({ choose, look }) {
    const { scenePath, nodeUuid } = await instanceIn(look);
    return { scenePath, nodeUuid, recursive: choose.happens(0.5) };
  },
};

const assetEdits = {
  async create_scene_asset({ choose }) {
    const assetPath = `assets/made/scene-${choose.below(1000)}.scene`;
    return { assetPath, empty: choose.happens(0.3) };
  },
  async create_asset_folder({ choose }) {
    return { assetPath: `assets/made/folder-${choose.below(20)}` };
  },
  async create_asset_image({ choose, image }) {
    return { sourcePath: image, assetPath: `assets/made/image-${choose.below(10)}.png` };
  },
  async move_asset_file({ choose, look }) {
    const type = choose.one(['image', 'prefab', 'scene', 'script', 'folder', 'material', 'audio']);
    const assetPath = choose.one(await look.assets(type)) ?? 'assets/none.png';
    const name = assetPath.slice(assetPath.lastIndexOf('/') + 1);
    return { assetPath, targetPath: `assets/moved/${choose.below(5)}/${name}` };
  },
  async delete_asset_file({ choose, look }) {
    const type = choose.one(['image', 'prefab', 'scene', 'script', 'audio']);
    return { assetPath: choose.one(await look.assets(type)) ?? 'assets/none.png' };
  },
  async update_asset_references({ choose, look }) {
    const all = await look.assets(choose.one(['image', 'prefab', 'audio']));
    return { assetPath: choose.one(all) ?? 'assets/a', targetPath: choose.one(all) ?? 'assets/b' };
  },
};

const workflows = {
  async workflow_create_ui_node_with_components({ choose, look }) {
    const { scenePath, at: parentUuid } = await look.place();
    const components = [await look.className(), await look.className()];
    return { scenePath, parentUuid, name: 'Flow', components, createCanvas: choose.happens(0.5) };
  },
  async workflow_bind_script_to_node({ choose, look }) {
    const { scenePath, at: nodeUuid, nodes } = await look.place();
    const scriptPath = choose.one(await look.assets('script')) ?? 'assets/none.ts';
    const property = choose.one(await look.properties(scriptPath));
    if (property === undefined) return { scenePath, nodeUuid, scriptPath };
    const value = await valueFor(property, { choose, look, nodes });
    return { scenePath, nodeUuid, scriptPath, properties: { [property.name]: value } };
  },
  async workflow_safe_set_transform({ choose, look }) {
    const { scenePath, at: nodeUuid } = await look.place();
    return { scenePath, nodeUuid, position: vector(choose), failOnWarnings: choose.happens(0.3) };
  },
  async workflow_import_and_assign_sprite({ look, image }) {
    const { scenePath, at: targetNodeUuid } = await look.place();
    return { scenePath, sourcePath: image, targetNodeUuid, targetFolder: 'assets/made' };
  },
  async workflow_open_scene_and_validate({ look }) {
    return { scenePath: await look.document() };
  },
  async workflow_create_or_update_prefab_instance({ choose, look }) {
    const { scenePath, at: parentUuid } = await look.place();
    const prefabPath = choose.one(await look.assets('prefab')) ?? 'assets/none.prefab';
    const overrides = [{ property: 'active', value: choose.happens(0.5) }];
    return { scenePath, prefabPath, parentUuid, overrides };
  },
};

const others = {
  async execute_scene_edits({ choose, ...more }) {
    const scenePath = await more.look.document();
    const given = { choose, ...more, look: { ...more.look, document: () => scenePath } };
    const makers = Object.entries({ ...nodeEdits, ...componentEdits }).slice(0, -1);
    const edits = [];
    while (edits.length < 4) {
      const [tool, make] = choose.one(makers);
      const { scenePath: _scene, ...args } = await make(inDocument(given, scenePath));
      edits.push({ tool, arguments: args });
    }
    return { scenePath, edits, onError: choose.one(['rollback', 'stop', 'continue']) };
  },
  async execute_scene_repair({ look }) {
    return { scenePath: await look.document() };
  },
};

/** The same look-up, of one scene or prefab only. */
function inDocument({ ask, choose, ...more }, scenePath) {
  const look = lookUp(ask, choose);
  look.document = async () => scenePath;
  return { ask, choose, ...more, look };
}

/** Calls that nobody should make. */
const wrong = [
  ['set_node_transform', { nodeUuid: '../../etc/passwd', position: { x: 1 } }],
  ['create_scene_node', { parentUuid: 5 }],
  ['create_scene_node', { scenePath: '/etc/hosts', name: 'x' }],
  ['create_asset_folder', { assetPath: '../outside' }],
  ['create_asset_folder', { assetPath: 'assets/../../outside' }],
  ['create_asset_folder', { assetPath: `assets/${'deep/'.repeat(90)}` }],
  ['move_asset_file', { assetPath: 'assets', targetPath: 'assets/inner' }],
  ['delete_asset_file', { assetPath: 'package.json' }],
  ['set_component_properties', { componentUuid: ':', properties: { a: 1 } }],
  ['create_asset_image', { sourcePath: 'package.json', assetPath: 'assets/x.png' }],
  ['execute_scene_edits', { edits: [{ tool: 'delete_asset_file', arguments: {} }] }],
  ['execute_prefab_apply', { nodeUuid: '' }],
  ['create_scene_asset', { assetPath: 'assets/no-ending' }],
];

const groups = [nodeEdits, componentEdits, prefabEdits, assetEdits, workflows, others];
const makers = groups.map((group) => Object.entries(group));
/** How often an edit is of each group, of a hundred. */
const shares = [30, 26, 14, 12, 12, 6];

/** What makes random calls: each a tool and its arguments. */
export function editMaker({ ask, choose, image }) {
  const given = { ask, choose, image, look: lookUp(ask, choose) };
  return async () => {
    if (choose.happens(0.05)) return choose.one(wrong);
    let at = choose.below(100);
    const group = makers.find((_, index) => (at -= shares[index]) < 0) ?? makers[0];
    const [tool, make] = choose.one(group);
    return [tool, await make(given)];
  };
}
