import type { Dump } from './dump.ts';

/** The name of the extension, by which its script in the scene is called. */
export const extensionName = 'mcp-kit-cocos';

/** The part of a node or component that a message sets. */
export interface PropertySetting {
  readonly uuid: string;
  /** `position`, or `__comps__.1.string`; always of the node. */
  readonly path: string;
  readonly dump: Dump;
}

/** A node to create. */
export interface NodeSetting {
  readonly parent: string;
  readonly name: string;
  readonly assetUuid?: string;
  readonly type?: 'cc.Prefab';
  readonly unlinkPrefab?: boolean;
}

/** All messages that are sent, with what they take. None of them can raise a dialog by itself, except `open-asset`, and
 * `save-asset` of the open scene, while the open scene has unsaved changes: whoever sends these asks `query-dirty` first. */
interface Messages {
  scene: {
    'query-is-ready': [];
    'query-dirty': [];
    'query-node-tree': [] | [uuid: string];
    'query-node': [uuid: string];
    'query-components': [];
    'execute-scene-script': [
      { readonly name: string; readonly method: string; readonly args: unknown[] },
    ];
    'save-scene': [];
    'create-node': [NodeSetting];
    'remove-node': [{ readonly uuid: string }];
    'set-parent': [
      { readonly parent: string; readonly uuids: string[]; readonly keepWorldTransform: boolean },
    ];
    'move-array-element': [
      {
        readonly uuid: string;
        readonly path: string;
        readonly target: number;
        readonly offset: number;
      },
    ];
    'create-component': [{ readonly uuid: string; readonly component: string }];
    'remove-component': [{ readonly uuid: string }];
    'set-property': [PropertySetting];
  };
  'asset-db': {
    'query-ready': [];
    'query-asset-info': [urlOrUuid: string];
    'refresh-asset': [url: string];
    'reimport-asset': [url: string];
    'open-asset': [uuid: string];
    'save-asset': [uuid: string, content: string];
  };
}

export type MessageChannel = keyof Messages;
export type MessageName<Channel extends MessageChannel> = keyof Messages[Channel] & string;

/** What a message takes. */
export type MessageArguments<
  Channel extends MessageChannel,
  Name extends MessageName<Channel>,
> = Messages[Channel][Name] extends infer Taken extends unknown[] ? Taken : never;

/** The same list, to be looked into. */
export const allowedMessages: {
  readonly [Channel in MessageChannel]: Readonly<Record<MessageName<Channel>, true>>;
} = {
  scene: {
    'query-is-ready': true,
    'query-dirty': true,
    'query-node-tree': true,
    'query-node': true,
    'query-components': true,
    'execute-scene-script': true,
    'save-scene': true,
    'create-node': true,
    'remove-node': true,
    'set-parent': true,
    'move-array-element': true,
    'create-component': true,
    'remove-component': true,
    'set-property': true,
  },
  'asset-db': {
    'query-ready': true,
    'query-asset-info': true,
    'refresh-asset': true,
    'reimport-asset': true,
    'open-asset': true,
    'save-asset': true,
  },
};

/** Tells whether a message is one of those above. */
export function isAllowed(channel: string, name: string): boolean {
  const known: Readonly<Record<string, object>> = allowedMessages;
  return Object.hasOwn(known, channel) && Object.hasOwn(known[channel] ?? {}, name);
}

/** A node without anything on it. */
export const newNode = (parent: string, name: string): NodeSetting => ({ parent, name });

/** A linked instance; the editor makes one only where the type says so. */
export const newInstance = (parent: string, name: string, prefab: string): NodeSetting => ({
  parent,
  name,
  assetUuid: prefab,
  type: 'cc.Prefab',
  unlinkPrefab: false,
});

/** A property of a node. */
export const nodeProperty = (uuid: string, path: string, dump: Dump): PropertySetting => ({
  uuid,
  path,
  dump,
});

/** A property of a component, which the editor finds by its place on the node. */
export const componentProperty = (
  { node, place }: { readonly node: string; readonly place: number },
  name: string,
  dump: Dump,
): PropertySetting => ({ uuid: node, path: `__comps__.${place}.${name}`, dump });
