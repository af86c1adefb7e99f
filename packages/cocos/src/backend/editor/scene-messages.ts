import { CocosError, isList, textOf, typeOf, type ViewItem } from '#cocos/document';
import { className, type SceneDocument } from '#cocos/edit';
import { type Comparison, type Difference, differencesOf, isArranged } from './difference.ts';
import { toDump } from './dump.ts';
import { field } from './live-scene.ts';
import { componentProperty, newInstance, newNode, nodeProperty } from './messages.ts';
import type { EditorLink } from './requester.ts';

/** A scene as the editor has it. */
export interface Present {
  readonly document: SceneDocument;
  readonly text: string;
}

/** What became of it: what things are called in the editor, and the text of the scene there. */
export interface SceneSent {
  readonly real: (handle: string) => string;
  readonly after: string;
}

/** A scene as the editor has it, and as it shall become. */
export interface SceneChange {
  readonly before: Present;
  readonly planned: SceneDocument;
  /** The handles of what is said to change. */
  readonly touched: ReadonlySet<string>;
  /** Reads the scene of the editor again. */
  read(): Promise<Present>;
}

const maxPasses = 3;
const maxDetails = 20;

/** Makes the scene in the editor what was planned, by messages, and checks that it is. */
export async function sendChange(link: EditorLink, change: SceneChange): Promise<SceneSent> {
  const messages = new SceneMessages(link, change);
  await messages.placeNodes();
  await messages.removeNodes();
  await messages.orderNodes();
  await messages.placeComponents();
  const { text } = await messages.setProperties();
  return { real: messages.real, after: text };
}

interface Part {
  readonly uuid: string;
  readonly types: readonly unknown[];
}

/** The messages that make one scene the other. */
class SceneMessages {
  readonly #link: EditorLink;
  readonly #change: SceneChange;
  readonly #before: ReadonlyMap<string, ViewItem>;
  readonly #planned: ReadonlyMap<string, ViewItem>;
  /** Whether nodes or components have come, gone or moved. */
  #isShaped = false;
  /** What the editor calls things that are new. */
  readonly #names = new Map<string, string>();

  constructor(link: EditorLink, change: SceneChange) {
    this.#link = link;
    this.#change = change;
    this.#before = byHandle(change.before.document);
    this.#planned = byHandle(change.planned);
  }

  /** The uuid in the editor: of what lies in an instance, that of the instance and its own. */
  readonly real = (handle: string): string => {
    const name = this.#names.get(handle);
    if (name !== undefined) return name;
    const item = this.#planned.get(handle);
    const { view } = this.#change.planned;
    const root = item?.instance === undefined ? undefined : view.item(item.instance)?.handle;
    const around = root === undefined ? undefined : this.#names.get(root);
    if (root === undefined || around === undefined || item?.inside !== true) return handle;
    return around + handle.slice(root.length);
  };

  /** Sends a message that gives the tree another shape. */
  #shape: EditorLink['send'] = (...message) => {
    this.#isShaped = true;
    return this.#link.send(...message);
  };

  async placeNodes(): Promise<void> {
    const { planned } = this.#change;
    const before = this.#change.before.document;
    for (const item of planned.view.items()) {
      if (item.kind !== 'node' || item.inside || item.owner === undefined) continue;
      const parent = handleAt(planned, item.owner);
      const old = this.#before.get(item.handle);
      if (old === undefined) {
        await this.#create(item, this.real(parent));
      } else if (handleAt(before, old.owner) !== parent) {
        await this.#shape('scene', 'set-parent', {
          parent: this.real(parent),
          uuids: [item.handle],
          keepWorldTransform: false,
        });
      }
    }
  }

  async #create(item: ViewItem, parent: string): Promise<void> {
    const name = this.#change.planned.view.name(item.index);
    const { asset } = item;
    const isInstance = item.instance === item.index && asset !== undefined;
    const node = isInstance ? newInstance(parent, name, asset) : newNode(parent, name);
    const uuid = await this.#shape('scene', 'create-node', node);
    if (typeof uuid !== 'string' || uuid === '') {
      throw new CocosError('E_INTERNAL', `The editor did not say which node "${name}" became.`, {
        details: { answered: uuid },
      });
    }
    this.#names.set(item.handle, uuid);
  }

  async removeNodes(): Promise<void> {
    const before = this.#change.before.document;
    for (const { handle, kind, inside, owner } of this.#before.values()) {
      if (kind !== 'node' || inside || this.#planned.has(handle)) continue;
      const isWithAnother = owner !== undefined && !this.#planned.has(handleAt(before, owner));
      if (!isWithAnother) await this.#shape('scene', 'remove-node', { uuid: handle });
    }
  }

  async orderNodes(): Promise<void> {
    const { planned } = this.#change;
    const before = this.#change.before.document;
    for (const item of this.#planned.values()) {
      if (item.kind !== 'node') continue;
      const wanted = planned.view.children(item.index).map(({ handle }) => handle);
      const old = this.#before.get(item.handle);
      const had = old === undefined ? [] : before.view.children(old.index);
      const isSame = had.map(({ handle }) => handle).join(' ') === wanted.join(' ');
      if (wanted.length > 1 && !isSame && !(old === undefined && item.inside)) {
        await this.#order(this.real(item.handle), wanted.map(this.real));
      }
    }
  }

  async #order(parent: string, wanted: readonly string[]): Promise<void> {
    const present = childrenOf(await this.#link.send('scene', 'query-node-tree', parent));
    for (const [place, uuid] of wanted.entries()) {
      const at = present.indexOf(uuid);
      if (at === place) continue;
      if (at < 0) throw otherNodes(parent, wanted, present);
      const offset = place - at;
      const move = { uuid: parent, path: 'children', target: at, offset };
      await this.#shape('scene', 'move-array-element', move);
      present.splice(place, 0, ...present.splice(at, 1));
    }
  }

  async placeComponents(): Promise<void> {
    const { planned } = this.#change;
    const before = this.#change.before.document;
    for (const item of this.#planned.values()) {
      if (item.kind !== 'node') continue;
      const wanted = planned.view.components(item.index);
      const old = this.#before.get(item.handle);
      const had = old === undefined ? [] : before.view.components(old.index);
      const isOld = ({ handle }: ViewItem): boolean => this.#before.has(handle);
      const added = wanted.filter((part) => !part.inside && !isOld(part));
      for (const { handle } of had) {
        if (!this.#planned.has(handle)) {
          await this.#shape('scene', 'remove-component', { uuid: handle });
        }
      }
      if (added.length > 0) await this.#addTo(this.real(item.handle), wanted, added);
    }
  }

  async #addTo(
    node: string,
    wanted: readonly ViewItem[],
    added: readonly ViewItem[],
  ): Promise<void> {
    const { planned } = this.#change;
    let present = await this.#partsOf(node);
    const taken = new Set(
      wanted.filter((part) => !added.includes(part)).map(({ handle }) => this.real(handle)),
    );
    for (const part of added) {
      const type = typeOf(planned.view.at(part.index));
      const types = [type, className(planned, part)];
      const isIt = ({ uuid, types: own }: Part): boolean =>
        !taken.has(uuid) && own.some((name) => types.includes(String(name)));
      // What another component requires has come with that.
      let found = present.find(isIt);
      if (found === undefined) {
        await this.#shape('scene', 'create-component', { uuid: node, component: type });
        present = await this.#partsOf(node);
        found = present.find(isIt);
      }
      if (found === undefined) {
        throw new CocosError('E_INTERNAL', `The editor has not added a ${types[1]}.`, {
          suggestion: 'Look whether the script compiles, and at the console of the editor.',
          details: { node, component: types[1] },
        });
      }
      taken.add(found.uuid);
      this.#names.set(part.handle, found.uuid);
    }
  }

  async #partsOf(node: string): Promise<Part[]> {
    const parts = field(await this.#link.send('scene', 'query-node', node), '__comps__');
    if (!isList(parts)) {
      throw new CocosError('E_INTERNAL', `The editor does not describe the node ${node}.`);
    }
    return parts.map((part) => {
      const types = [field(part, 'cid'), field(part, 'type')];
      return { uuid: uuidIn(field(part, 'value')), types };
    });
  }

  /** Setting one property may change another, so that it takes more than one pass. */
  async setProperties(): Promise<Present> {
    const touched = this.#touched();
    let now = this.#isShaped ? await this.#change.read() : this.#change.before;
    for (let pass = 1; ; pass++) {
      const present = now.document;
      const comparison: Comparison = { ...this.#change, present, real: this.real };
      const left = touched.flatMap((item) => [...differencesOf(comparison, item)]);
      if (left.length === 0) return now;
      const faults = left.filter((difference) => !isArranged(comparison, difference));
      if (pass === maxPasses && faults.length > 0) throw otherwise(faults);
      if (pass === maxPasses) return now;
      for (const difference of left) await this.#set(present, difference);
      now = await this.#change.read();
    }
  }

  /** All that is new or is said to change. */
  #touched(): ViewItem[] {
    const { touched } = this.#change;
    return [...this.#planned.values()].filter(
      (item) =>
        item.owner !== undefined &&
        (touched.has(item.handle) || (!item.inside && !this.#before.has(item.handle))),
    );
  }

  async #set({ view }: SceneDocument, difference: Difference): Promise<void> {
    const { target, name, type, wanted } = difference;
    const item = view.get(this.real(target));
    const dump = toDump(type, wanted);
    const owner = item.kind === 'node' ? undefined : view.item(item.owner ?? view.root);
    const setting =
      owner === undefined
        ? nodeProperty(item.handle, name, dump)
        : componentProperty({ node: owner.handle, place: placeOf(view, owner, item) }, name, dump);
    await this.#link.send('scene', 'set-property', setting);
  }
}

function placeOf(view: SceneDocument['view'], node: ViewItem, part: ViewItem): number {
  return view.components(node.index).findIndex(({ index }) => index === part.index);
}

function byHandle({ view }: SceneDocument): Map<string, ViewItem> {
  return new Map([...view.items()].map((item) => [item.handle, item]));
}

function handleAt({ view }: SceneDocument, index: number | undefined): string {
  return index === undefined ? '' : (view.item(index)?.handle ?? '');
}

/** The children in a tree of the editor; their uuids are there as such or wrapped. */
function childrenOf(tree: unknown): string[] {
  const children = field(tree, 'children');
  if (!isList(children)) return [];
  return children.map((child) => uuidIn(child) || uuidIn(field(child, 'value')));
}

/** The uuid of something that the editor describes, plain or with its type. */
function uuidIn(described: unknown): string {
  const uuid = field(described, 'uuid');
  return textOf(uuid) || textOf(field(uuid, 'value'));
}

function otherNodes(
  parent: string,
  wanted: readonly string[],
  present: readonly string[],
): CocosError {
  return new CocosError('E_INTERNAL', 'The editor has other nodes there than were put there.', {
    details: { parent, wanted, present },
  });
}

function otherwise(faults: readonly Difference[]): CocosError {
  const [first] = faults;
  return new CocosError(
    'E_INTERNAL',
    `The editor did not keep what was set: ${first?.name} and ${faults.length - 1} more.`,
    {
      suggestion: 'Look at the scene in the editor, and at its console.',
      details: {
        differences: faults
          .slice(0, maxDetails)
          .map(({ target, name, wanted, found }) => ({ target, name, wanted, found })),
      },
    },
  );
}
