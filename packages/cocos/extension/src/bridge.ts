/** What the process of the server asks of the editor. */
export interface BridgeRequest {
  readonly id: number;
  readonly channel: string;
  readonly method: string;
  readonly args: readonly unknown[];
}

/** What the editor answers. */
export interface BridgeAnswer {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string | undefined;
}

/** What the process of the server says about itself. */
export type BridgeNews = { readonly url: string } | { readonly failure: string };
