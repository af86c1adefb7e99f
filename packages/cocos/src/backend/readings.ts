import type { Json } from '#cocos/document';

/** What a project is. */
export interface ProjectReading {
  readonly name: string;
  readonly root: string;
  /** The version of Creator that last opened it. */
  readonly creatorVersion: string;
  readonly designResolution: { readonly width: number; readonly height: number };
  /** Where writes go. */
  readonly backend: 'headless' | 'editor';
  readonly editor: { readonly running: 'yes' | 'maybe' | 'no'; readonly url?: string | undefined };
  /** The scene or prefab that calls mean that name none. */
  readonly currentDocument?: string | undefined;
  readonly counts: {
    readonly scenes: number;
    readonly prefabs: number;
    readonly scripts: number;
    readonly images: number;
    readonly assets: number;
  };
  /** Metas that cannot be read, and assets that share a uuid. */
  readonly problems: readonly { readonly path: string; readonly message: string }[];
}

/** A scene or prefab. */
export interface DocumentReading {
  readonly path: string;
  readonly assetUuid: string;
  readonly kind: 'scene' | 'prefab';
  readonly name: string;
  readonly nodes: number;
}

/** A node in short. */
export interface NodeSummary {
  readonly nodeUuid: string;
  readonly name: string;
  /** Below the scene, or below the root of the prefab; empty for the root. */
  readonly path: string;
  readonly active: boolean;
  /** The classes of its components: `cc.Sprite`, or the class of a script. */
  readonly components: readonly string[];
  /** The path, or else the uuid, of the prefab that it is the root of an instance of. */
  readonly prefab?: string | undefined;
  /** It comes from a prefab, and changes of it become overrides. */
  readonly inside?: boolean | undefined;
}

/** A node with what is below it. */
export interface TreeNode extends Omit<NodeSummary, 'path'> {
  readonly childCount: number;
  /** Absent where it was not asked for as deep. */
  readonly children?: readonly TreeNode[] | undefined;
}

/** Three numbers: a position, a scale, or angles in degrees. */
export interface Vector {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A node in full. */
export interface NodeReading extends NodeSummary {
  readonly parentUuid?: string | undefined;
  readonly siblingIndex: number;
  readonly childCount: number;
  readonly position: Vector;
  /** Degrees. */
  readonly rotation: Vector;
  readonly scale: Vector;
  /** The name of the layer, or its bits. */
  readonly layer: string;
  readonly locked: boolean;
  /** Of its cc.UITransform. */
  readonly size?: { readonly width: number; readonly height: number };
  readonly anchor?: { readonly x: number; readonly y: number };
}

/** A component with its properties by the names of the editor; assets are URLs, nodes and components handles. */
export interface ComponentReading {
  readonly componentUuid: string;
  readonly type: string;
  readonly enabled: boolean;
  readonly properties: Readonly<Record<string, Json>>;
}

/** Something that an instance has other than its prefab. */
export interface OverrideReading {
  readonly kind: 'property' | 'reference' | 'mountedNode' | 'mountedComponent' | 'removedComponent';
  readonly targetUuid?: string | undefined;
  /** `Panel/Title`, `Panel/Title:cc.Label`. */
  readonly path?: string | undefined;
  /** As the editor calls it: `contentSize`. */
  readonly property: string;
  readonly value: Json;
  /** Name and place of the root, which every instance has of its own. */
  readonly reserved: boolean;
}

/** An asset of the project, or one of the engine's. */
export interface AssetReading {
  /** Absent where it is not imported yet: that happens when an edit names it. */
  readonly assetUuid?: string | undefined;
  /** In the project; absent for assets of the engine. */
  readonly path?: string | undefined;
  readonly url: string;
  readonly name: string;
  /** `cc.Prefab`, `cc.ImageAsset`; `folder` for folders. */
  readonly type: string;
  /** False where only the meta is there. */
  readonly exists: boolean;
  readonly subAssets: readonly {
    readonly assetUuid: string;
    readonly name: string;
    readonly type: string;
    readonly url: string;
  }[];
}

/** A property of a component class. */
export interface PropertyReading {
  readonly name: string;
  /** `number`, `cc.Color`, `cc.SpriteFrame[]`, `node`, `enum`. */
  readonly type: string;
  /** The names of an enum. */
  readonly values?: readonly string[] | undefined;
  readonly default?: Json | undefined;
  readonly tooltip?: string | undefined;
}

/** A class that can be put on a node. */
export interface ClassReading {
  readonly name: string;
  readonly properties: readonly PropertyReading[];
  /** Components that come with it. */
  readonly requires: readonly string[];
  /** Of scripts. */
  readonly script?: {
    /** Absent where it is not imported yet: that happens when an edit names it. */
    readonly assetUuid?: string | undefined;
    readonly path: string;
    readonly bases: readonly string[];
    readonly isComponent: boolean | undefined;
    /** What an event can call. */
    readonly methods: readonly string[];
    /** Why properties may be missing. */
    readonly problem?: string | undefined;
  };
}

/** A defect, or a hint, of a scene or prefab. */
export interface FindingReading {
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'info';
  /** The file, in the project. */
  readonly file: string;
  /** A JSON pointer into the file. */
  readonly pointer: string;
  readonly line?: number | undefined;
  /** Of the node. */
  readonly path?: string | undefined;
  /** The node or component. */
  readonly targetUuid?: string | undefined;
  readonly message: string;
  readonly suggestion: string;
  /** Whether it can safely be repaired. */
  readonly fixable: boolean;
}

/** A picture of the layout of the UI. */
export interface PictureReading {
  readonly svg: string;
  readonly width: number;
  readonly height: number;
  /** How many nodes were drawn. */
  readonly nodes: number;
  /** What looks other than in the game. */
  readonly notes: readonly string[];
}

/** What was done to the project at once, and can be undone at once. */
export interface TransactionReading {
  readonly transactionId: string;
  readonly label: string;
  readonly at: string;
  readonly files: readonly {
    readonly path: string;
    readonly change: 'create' | 'update' | 'delete';
  }[];
}
