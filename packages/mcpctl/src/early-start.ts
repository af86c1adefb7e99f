import type { Logger } from 'mcp-kit/internal';
import type { Channel, Limits } from 'mcp-kit/jsonrpc';
import type { Target } from 'mcp-kit/protocol';
import type { Target as Typed } from './target.ts';

/** A program that starts while the rest of this one is loaded. */
export interface EarlyStart {
  /** The way to it: the first conversation is with the process that was started. */
  readonly target: Target;
  /** Ends that process unless it has been taken. */
  drop(): Promise<void>;
}

/** Starts the program that the user has typed, which takes longer than loading what is needed to speak with it. */
export async function startEarly(
  { command, args, env, cwd = process.cwd() }: Typed & { readonly kind: 'command' },
  options: {
    readonly stop: AbortSignal;
    readonly logger: Logger;
    readonly limits?: Partial<Limits> | undefined;
    readonly onStderr?: ((text: string) => void) | undefined;
  },
): Promise<EarlyStart> {
  const { stop, ...rest } = options;
  const { childTarget } = await import('mcp-kit/transport/child-process');
  const target = childTarget({ command, args, env, cwd, ...rest });
  let begun: Promise<Channel> | undefined = Promise.resolve(target.dial(stop));
  // Whoever takes it hears of it.
  begun.catch(() => {});
  const take = (): Promise<Channel> | undefined => {
    const taken = begun;
    begun = undefined;
    return taken;
  };
  return {
    target: { ...target, dial: (signal) => take() ?? target.dial(signal) },
    async drop() {
      const channel = await take()?.catch(() => undefined);
      await channel?.close();
    },
  };
}
