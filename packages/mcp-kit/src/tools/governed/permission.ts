import { chain, type MaybePromise } from '#base';
import type { ClientView } from '#protocol';
import type { Context } from '#server';
import type { ToolLayer } from '../tool.ts';
import { diagnosticNames } from '../trace/traces.ts';
import type { Entry } from '../entry.ts';
import { fail } from '../failure.ts';
import { traitsOf, type Traits } from '../manifest/manifest.ts';
import type { Wrap } from './layer.ts';

/** Who calls. */
interface Caller {
  readonly principal: string | undefined;
  readonly client: ClientView;
}

/** What somebody wants to do. */
interface PermissionRequest extends Caller {
  readonly tool: string;
  readonly traits: Traits;
  /** The tool's own arguments, checked. */
  readonly args: unknown;
  /** Only to see what would change. */
  readonly dryRun: boolean;
}

/** Decides a call: true, or why not. */
export type Permit = (request: PermissionRequest) => MaybePromise<boolean | string>;

/** Asks a rule of the server's owner before anything is done. */
export function permissionLayer(permit: Permit | undefined): Wrap {
  return (next, { tool }) => {
    if (permit === undefined) return next;
    const traits = traitsOf(tool);
    return (call) => {
      const { principal, client } = call.context;
      const { args, control } = call;
      const { dryRun } = control;
      const verdict = permit({ tool: tool.name, traits, args, dryRun, principal, client });
      return chain(verdict, (allowed) => {
        if (allowed === true) return next(call);
        const reason = typeof allowed === 'string' ? allowed : 'It is not allowed to this caller.';
        throw fail('E_PRECONDITION_FAILED', `${tool.name} is not permitted: ${reason}`);
      });
    };
  };
}

/** Which layers are there for whom: the same for all, or decided by who asks. */
export type Visible = readonly ToolLayer[] | ((caller: Caller) => readonly ToolLayer[]);

/** Who sees which tools; what one does not see one cannot call. */
export interface Visibility {
  view(context: Context): string;
  shows(entry: Entry, view: string): boolean;
  hides(entry: Entry): string | undefined;
}

const layers: readonly ToolLayer[] = ['core', 'advanced', 'internal'];

export function createVisibility(visible: Visible): Visibility {
  const nameOf = (shown: readonly ToolLayer[]): string =>
    layers.filter((layer) => shown.includes(layer)).join();
  const always = typeof visible === 'function' ? undefined : nameOf(visible);
  return {
    view({ principal, client }) {
      if (always !== undefined || typeof visible !== 'function') return always ?? '';
      return nameOf(visible({ principal, client }));
    },
    // No name of a layer is part of another's.
    shows: ({ tool }, view) =>
      diagnosticNames.has(tool.name) || view.includes(tool.layer ?? 'core'),
    // Where it goes by who asks, what others see is not for everybody to know.
    hides: ({ tool: { layer = 'core' } }) =>
      always === undefined || layer === 'internal'
        ? undefined
        : `it is of the layer ${layer}, which whoever runs the server can show`,
  };
}
