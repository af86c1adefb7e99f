import type { Json } from '#cocos/document';
import type {
  InstanceUpdate,
  NodeChange,
  NodeCreation,
  NodeMove,
  Properties,
  TransformChange,
} from '#cocos/edit';

/**
 * A node: its handle, a path such as `Canvas/Menu/Button[1]`, or `$name` of a node that an earlier edit of the same plan
 * has created `as` that name.
 */
export type NodeReference = string;

/** A component: its handle, `node:class` such as `Canvas/Menu:cc.Sprite`, or `$name`. */
export type ComponentReference = string;

/** An asset: its path in the project, its `db://` URL, or its uuid. */
export type AssetReference = string;

/** What an edit of a scene or prefab has besides its own. */
interface InDocument {
  /** The scene or prefab; that of the plan where absent. */
  readonly document?: AssetReference | undefined;
  /** Gives what is created a name for later edits of the plan: `menu` is called `$menu`. */
  readonly as?: string | undefined;
}

/** A node that is put somewhere. */
interface Placement extends TransformChange {
  readonly parent?: NodeReference | undefined;
  readonly name?: string | undefined;
  readonly siblingIndex?: number | undefined;
}

/** All edits: what each takes, and what it answers. */
export interface Edits {
  create_scene: {
    takes: {
      readonly path: string;
      readonly resolution?: { readonly width: number; readonly height: number } | undefined;
      readonly empty?: boolean | undefined;
    };
    gives: { readonly path: string; readonly assetUuid: string };
  };
  create_node: {
    takes: InDocument & NodeCreation;
    gives: { readonly nodeUuid: string; readonly canvasUuid?: string };
  };
  update_node: {
    takes: InDocument & NodeChange & { readonly node: NodeReference };
    gives: { readonly nodeUuid: string };
  };
  set_transform: {
    takes: InDocument & TransformChange & { readonly node: NodeReference };
    gives: { readonly nodeUuid: string; readonly warnings: readonly string[] };
  };
  move_node: {
    takes: InDocument & NodeMove & { readonly node: NodeReference };
    gives: { readonly nodeUuid: string };
  };
  delete_node: {
    takes: InDocument & { readonly node: NodeReference };
    gives: { readonly nodeUuid: string };
  };
  duplicate_node: {
    takes: InDocument & {
      readonly node: NodeReference;
      readonly name?: string | undefined;
      readonly siblingIndex?: number | undefined;
    };
    gives: { readonly nodeUuid: string };
  };
  add_component: {
    takes: InDocument & {
      readonly node: NodeReference;
      /** An engine class (`cc.Sprite`), a class of a script, or the path or uuid of a script. */
      readonly type: string;
      readonly properties?: Properties | undefined;
      /** `reuse`: where the node has one of that class, that one is taken; otherwise another is added, or it fails. */
      readonly whenPresent?: 'add' | 'reuse' | undefined;
    };
    gives: {
      readonly componentUuid: string;
      readonly type: string;
      /** All that was added, with what the class requires. */
      readonly added: readonly { readonly componentUuid: string; readonly type: string }[];
      readonly warnings: readonly string[];
    };
  };
  remove_component: {
    takes: InDocument & {
      readonly component: ComponentReference;
      readonly force?: boolean | undefined;
    };
    gives: { readonly componentUuid: string };
  };
  set_properties: {
    takes: InDocument & {
      readonly component: ComponentReference;
      readonly properties?: Properties | undefined;
      readonly enabled?: boolean | undefined;
    };
    gives: {
      readonly componentUuid: string;
      readonly applied: readonly string[];
      readonly warnings: readonly string[];
    };
  };
  set_raw_value: {
    takes: InDocument & {
      /** A node or component. */
      readonly target: string;
      /** As it is stored: `_contentSize`, `width`. */
      readonly path: readonly string[];
      readonly value: Json;
    };
    gives: { readonly targetUuid: string };
  };
  assign_sprite: {
    takes: InDocument & {
      readonly node: NodeReference;
      /** An image or sprite frame; `$name` of an image that this plan imports. */
      readonly spriteFrame: AssetReference;
      readonly sizeMode?: 'CUSTOM' | 'TRIMMED' | 'RAW' | undefined;
    };
    gives: { readonly componentUuid: string; readonly spriteFrameUuid: string };
  };
  create_prefab: {
    takes: InDocument & {
      readonly node: NodeReference;
      readonly path: string;
      /** Whether an instance takes the place of the node; yes where absent. */
      readonly replace?: boolean | undefined;
    };
    gives: { readonly path: string; readonly assetUuid: string; readonly nodeUuid: string };
  };
  instantiate_prefab: {
    takes: InDocument & Placement & { readonly prefab: AssetReference };
    gives: { readonly nodeUuid: string };
  };
  update_instance: {
    takes: InDocument & InstanceUpdate & { readonly node: NodeReference };
    gives: {
      readonly nodeUuid: string;
      readonly diff: {
        readonly added: readonly string[];
        readonly changed: readonly string[];
        readonly removed: readonly string[];
      };
    };
  };
  revert_overrides: {
    takes: InDocument & {
      readonly node: NodeReference;
      /** Only those of this node or component. */
      readonly target?: string | undefined;
      /** Only those of this stored property. */
      readonly property?: string | undefined;
    };
    gives: { readonly nodeUuid: string; readonly reverted: number };
  };
  apply_overrides: {
    takes: InDocument & { readonly node: NodeReference };
    gives: {
      readonly nodeUuid: string;
      readonly prefabPath: string;
      readonly applied: number;
      readonly kept: number;
    };
  };
  unpack_prefab: {
    takes: InDocument & {
      readonly node: NodeReference;
      readonly recursive?: boolean | undefined;
    };
    gives: { readonly nodeUuid: string };
  };
  create_folder: { takes: { readonly path: string }; gives: { readonly path: string } };
  import_image: {
    takes: {
      /** A PNG or JPEG on this machine; relative to the project. */
      readonly source: string;
      /** Where it goes: a file of the project. */
      readonly path: string;
      readonly type?: 'sprite-frame' | 'texture' | undefined;
      readonly onConflict?: 'update' | 'fail' | undefined;
      readonly as?: string | undefined;
    };
    gives: {
      readonly path: string;
      readonly assetUuid: string;
      readonly spriteFrameUuid?: string;
      /** The same image was there already. */
      readonly reused: boolean;
    };
  };
  move_asset: {
    takes: { readonly asset: AssetReference; readonly to: string };
    gives: { readonly from: string; readonly path: string };
  };
  delete_asset: {
    takes: { readonly asset: AssetReference; readonly force?: boolean | undefined };
    gives: { readonly path: string; readonly users: readonly string[] };
  };
  replace_references: {
    takes: {
      readonly from: AssetReference;
      readonly to: AssetReference;
      readonly paths?: readonly string[] | undefined;
    };
    gives: {
      readonly count: number;
      readonly files: readonly { readonly path: string; readonly count: number }[];
    };
  };
  repair_document: {
    takes: {
      readonly document?: AssetReference | undefined;
      /** Only these codes of the validator; all that can safely be repaired where absent. */
      readonly codes?: readonly string[] | undefined;
    };
    gives: {
      readonly path: string;
      readonly repaired: readonly {
        readonly code: string;
        readonly count: number;
      }[];
      /** Findings that remain. */
      readonly left: number;
    };
  };
}

/** The name of an edit. */
export type EditName = keyof Edits;

/** One thing to do to a project, as plain JSON. */
export type Edit<Name extends EditName = EditName> = {
  [Op in Name]: { readonly op: Op } & Edits[Op]['takes'];
}[Name];

/** What became of one edit. */
export type EditResult<Name extends EditName = EditName> = {
  [Op in Name]: { readonly op: Op } & Edits[Op]['gives'];
}[Name];

/** The results of a list of edits, each by the edit in its place. */
export type EditResults<List extends readonly Edit[]> = {
  readonly [Place in keyof List]: List[Place] extends Edit ? EditResult<List[Place]['op']> : never;
};
