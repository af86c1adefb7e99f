// The parts of the editor's globals that the extension uses.

declare const Editor: {
  readonly App: { readonly path: string };
  readonly Project: { readonly path: string };
  readonly Message: {
    request(channel: string, method: string, ...args: readonly unknown[]): Promise<unknown>;
  };
  readonly Panel: { open(name: string): unknown };
  readonly Clipboard: { write(type: 'text', value: string): boolean };
};

/** In the process of the scene only. */
declare const EditorExtends: { serialize(asset: object): string | object };

/** In the process of the scene only; what it has differs between versions. */
declare const cce:
  | {
      readonly SceneFacadeManager?: {
        queryMode?(): string;
        queryCurrentSceneUuid?(): string;
      };
    }
  | undefined;
