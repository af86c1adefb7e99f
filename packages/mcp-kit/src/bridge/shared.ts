import type { Target } from '#protocol';
import type { Tell } from './crossing.ts';
import type { BridgeOptions } from './options.ts';
import type { ToolNames } from './tool-names.ts';
import type { UpstreamShared } from './upstream.ts';

/** What every client of a bridge meets. */
export interface Shared extends UpstreamShared {
  readonly target: Target;
  readonly options: BridgeOptions;
  readonly tell: Tell;
  readonly toolNames: ToolNames;
}
