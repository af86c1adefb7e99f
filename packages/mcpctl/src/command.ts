import type { Options, OptionValues } from './args.ts';

/** One command as data: what it takes, and what it does. */
export interface Command {
  readonly options: Options;
  /** The same options as the help groups them. */
  readonly groups?: Readonly<Record<string, Options>>;
  /** Lines below the options in its help. */
  readonly notes?: readonly string[];
  /** Does the work; the process ends when it settles. */
  run(values: never): Promise<void>;
}

/** Types the values that `run` receives from the options. */
export function defineCommand<const O extends Options>(
  command: Omit<Command, 'options' | 'run'> & {
    readonly options: O;
    run(values: OptionValues<O>): Promise<void>;
  },
): Command {
  return command;
}

/** A command as the list of commands knows it, before its file is loaded. */
export interface CommandEntry {
  readonly summary: string;
  load(): Promise<Command>;
}

/** Every command; a new one is a file in `commands/` and a line here. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  serve: {
    summary: 'Serve a set of sample tools over HTTP, stdio or a unix socket.',
    load: async () => (await import('./commands/serve.ts')).serve,
  },
};
