import type { CocosBackend } from '#cocos/backend';
import { CocosError } from '#cocos/document';
import type { Context } from 'mcp-kit/server';
import { fail, type ToolFailure } from 'mcp-kit/tools';
import type { CallScope, Layer } from 'mcp-kit/tools/governed';
import { telling } from './failures.ts';

type Conversing = Pick<Context, 'conversation'>;

/** The scenes and prefabs that are open, by conversation: by uuid, or by path where one has none yet. */
const opened = new WeakMap<CocosBackend, WeakMap<object, string>>();

/** Makes a scene or prefab the open one of a conversation, or none; false where calls stand alone, and nothing stays open. */
export function openIn(
  backend: CocosBackend,
  { conversation }: Conversing,
  asset: string | undefined,
): boolean {
  if (conversation === undefined) return false;
  const own = opened.get(backend) ?? new WeakMap<object, string>();
  opened.set(backend, own);
  if (asset === undefined) own.delete(conversation);
  else own.set(conversation, asset);
  return true;
}

/** The path of the scene or prefab that a conversation has open; undefined where it has none, or that one is gone. */
export async function openedIn(
  backend: CocosBackend,
  { conversation }: Conversing,
): Promise<string | undefined> {
  const asset = conversation && opened.get(backend)?.get(conversation);
  if (asset === undefined) return undefined;
  try {
    return (await backend.asset(asset)).path;
  } catch (error) {
    if (error instanceof CocosError && error.code === 'E_NOT_FOUND') return undefined;
    throw error;
  }
}

/** Whether a conversation has opened a scene or prefab, be it there or gone. */
const hasOpened = (backend: CocosBackend, { conversation }: Conversing): boolean =>
  conversation !== undefined && opened.get(backend)?.has(conversation) === true;

/**
 * Lets calls that name no scene mean the one that their own conversation has open. A write that names neither a scene nor a node
 * of one, and has none open, is refused: it would go wherever somebody else is.
 */
export function openSceneLayer(backend: CocosBackend): Layer {
  return {
    name: 'open scene',
    before: 'permission',
    wrap(next, { tool, input }) {
      const { properties, required } = input.json;
      const isOptional =
        Object.hasOwn(Object(properties), 'scenePath') &&
        !(Array.isArray(required) && required.includes('scenePath'));
      if (!isOptional) return next;
      const writes = tool.plan !== undefined;
      return async (call) => {
        const args = call.args as Arguments;
        if (args.scenePath !== undefined) return next(call);
        const scenePath = await telling(() => openedIn(backend, call.context));
        if (scenePath !== undefined) {
          fill(call, scenePath);
        } else if (hasOpened(backend, call.context) || (writes && !isPlaced(args))) {
          throw await telling(() => unnamed(backend, call.context));
        }
        return next(call);
      };
    },
  };
}

interface Arguments extends Readonly<Record<string, unknown>> {
  readonly scenePath?: string | undefined;
  readonly edits?: readonly { readonly arguments: Arguments }[] | undefined;
}

function fill(call: CallScope, scenePath: string): void {
  call.args = { ...Object(call.args), scenePath };
  call.own = { ...call.own, scenePath };
}

const nodeNames = ['nodeUuid', 'parentUuid', 'componentUuid', 'targetUuid', 'targetNodeUuid'];

/** Whether a call says where: the scene, or a node that only one can have. */
function isPlaced(args: Arguments): boolean {
  const { scenePath, edits } = args;
  if (edits !== undefined) return edits.every((part) => isPlaced(part.arguments));
  const names = nodeNames.map((name) => args[name]);
  return (
    scenePath !== undefined || names.some((name) => typeof name === 'string' && /[^/]/.test(name))
  );
}

async function unnamed(backend: CocosBackend, { conversation }: Conversing): Promise<ToolFailure> {
  const scenes = (await backend.assets({ type: 'scene' })).flatMap(({ path }) => path ?? []);
  const how = conversation === undefined ? 'Name it in each call' : 'Open one, or name it';
  const which = scenes.slice(0, 10).join(', ');
  return fail('E_PRECONDITION_FAILED', 'No scene is open.', {
    suggestion:
      scenes.length === 0 ? 'Create a scene first.' : `${how}: scenePath, one of ${which}.`,
    details: { scenes: scenes.slice(0, 100) },
  });
}
