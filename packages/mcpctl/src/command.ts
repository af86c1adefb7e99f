import type { Options, OptionValues, Positional, PositionalValues } from './args.ts';
import type { Globals } from './globals.ts';

/** One line of a shell, and what it shows. */
export interface Example {
  readonly command: string;
  readonly about: string;
}

/** What one run of a command works with. */
export interface Invocation<
  O extends Options = Options,
  P extends readonly Positional[] = readonly Positional[],
> {
  /** The command's own options. */
  readonly values: OptionValues<O>;
  /** What stands without a dash, by name. `SERVER` is the name of the target when that is not from a file. */
  readonly args: PositionalValues<P>;
  /** The options of every command, understood. */
  readonly globals: Globals;
  /** Fires when the user or the system wants the program to stop. */
  readonly stop: AbortSignal;
}

/**
 * Which options a command takes beside its own: `own`: none; `config`: the global ones; `server`: these, and those that
 * name a server which is in no file.
 */
export type Scope = 'own' | 'config' | 'server';

/** One command as data: what it takes, and what it does. */
export interface Command {
  readonly scope: Scope;
  readonly positionals: readonly Positional[];
  readonly options: Options;
  /** The same options as the help groups them. */
  readonly groups?: Readonly<Record<string, Options>> | undefined;
  readonly examples: readonly Example[];
  /** Lines below the options in its help. */
  readonly notes?: readonly string[] | undefined;
  /** It ends by itself, in bounded time, when it is told to stop; the exit code is then its own. */
  readonly endsItself?: boolean | undefined;
  /** Does the work; the process ends when it settles, with the exit code it gives. */
  run(invocation: never): Promise<number | void>;
}

/** Types what `run` receives from the options and positionals; a command works with a server unless it says otherwise. */
export function defineCommand<
  const O extends Options = Options,
  const P extends readonly Positional[] = readonly [],
>(definition: {
  readonly scope?: Scope | undefined;
  readonly positionals?: P | undefined;
  readonly options?: O | undefined;
  readonly groups?: Command['groups'];
  readonly examples?: readonly Example[] | undefined;
  readonly notes?: readonly string[] | undefined;
  readonly endsItself?: boolean | undefined;
  run(invocation: Invocation<O, P>): Promise<number | void>;
}): Command {
  const { scope = 'server', positionals = [], options = {}, examples = [] } = definition;
  return { ...definition, scope, positionals, options, examples };
}

/** A command as the list of commands knows it, before its file is loaded. */
export interface CommandEntry {
  readonly summary: string;
  /** Other names that mean the same. */
  readonly aliases?: readonly string[] | undefined;
  /** For programs; not in the help. */
  readonly hidden?: true | undefined;
  load(): Promise<Command>;
}
