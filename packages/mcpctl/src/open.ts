import type { ManagedConfig, Manager, ManagerOptions, ServerEntry } from '@mcp-kit/host';
import type { Invocation } from './command.ts';
import { startEarly, type EarlyStart } from './early-start.ts';
import { loggerOf, stderrPrinter } from './logs.ts';
import { createWitness, type Witness } from './witness.ts';

/** What a command works with. */
export interface Opened {
  readonly manager: Manager;
  /** The servers that may be asked: those of the files, or the one that was typed. */
  readonly entries: readonly ServerEntry[];
  /** What is seen of them beside their answers. */
  readonly witness: Witness;
}

/** Which servers are wanted, and what the manager is told besides what the options say. */
export interface Run extends Pick<Invocation, 'globals' | 'stop'> {
  /** The one server that is wanted; without, all may be. */
  readonly server?: string | undefined;
  /** What was read already; it may be empty. */
  readonly config?: ManagedConfig | undefined;
  /** The work itself tells what was seen of servers. */
  readonly tells?: boolean | undefined;
  readonly more?:
    | Pick<
        ManagerOptions,
        | 'inputs'
        | 'onChange'
        | 'onNotification'
        | 'onStderr'
        | 'onTrace'
        | 'onUnreadable'
        | 'reconnect'
      >
    | undefined;
}

/** Gives the work a manager. */
export type UseManager = <T>(run: Run, work: (opened: Opened) => Promise<T>) => Promise<T>;

let kept: UseManager | undefined;

/** Has managers given that stay open after the work. */
export function keepManagers(use: UseManager): void {
  kept = use;
}

/** Gives the work a manager of the servers that the command line means; it is closed whatever happens, and when the user stops. */
export async function withManager<T>(run: Run, work: (opened: Opened) => Promise<T>): Promise<T> {
  if (kept !== undefined) return kept(run, work);
  const witness = createWitness();
  const early = await earlyStart(run, witness);
  try {
    // Most of the code; help does without it, and a program that was typed starts meanwhile.
    const { useManager } = await import('./manager.ts');
    return await useManager({ ...run, witness }, early?.target, work);
  } finally {
    await early?.drop();
  }
}

/** What is typed is meant to run; only what was read before may still be looked at first. */
async function earlyStart(
  { globals, stop, config }: Run,
  witness: Witness,
): Promise<EarlyStart | undefined> {
  const { target, maxMessageBytes: maxBytes } = globals;
  if (target?.kind !== 'command' || config !== undefined) return undefined;
  const show = stderrPrinter(globals);
  return startEarly(target, {
    stop,
    logger: loggerOf(globals),
    limits: maxBytes === undefined ? {} : { maxBytes },
    onStderr(text) {
      witness.onStderr(target.name, text);
      show?.(target.name, text);
    },
  });
}
