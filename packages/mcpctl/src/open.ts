import { silentLogger, stderrLogger, type Logger } from 'mcp-kit/base';
import type {
  LoadedConfig,
  Manager,
  ManagerOptions,
  ServerEntry,
  ServerStatus,
} from 'mcp-kit/manager';
import type { Invocation } from './command.ts';
import { home, type Globals } from './globals.ts';
import { startEarly, type HeadStart } from './head-start.ts';
import { warn } from './output.ts';
import type { Target } from './target.ts';
import { plainText } from './terminal/plain-text.ts';
import { version } from './version.ts';

/** What a command works with. */
export interface Opened {
  readonly manager: Manager;
  /** The servers that may be asked: those of the files, or the one that was typed. */
  readonly entries: readonly ServerEntry[];
}

/** What the manager is told besides what the options say. */
type More = Pick<ManagerOptions, 'onChange' | 'onNotification' | 'onStderr'>;

type Run = Pick<Invocation, 'globals' | 'stop'> & {
  /** The one server that is wanted; without, all may be. */
  readonly server?: string | undefined;
  /** What was read already; it may be empty. */
  readonly config?: Pick<LoadedConfig, 'entries' | 'client'>;
  readonly more?: More;
};

/** Lends a manager of the servers that the command line means; it is closed whatever happens, and when the user stops. */
export async function withManager<T>(run: Run, work: (opened: Opened) => Promise<T>): Promise<T> {
  const early = await earlyStart(run);
  try {
    return await lendManager(run, early, work);
  } finally {
    await early?.drop();
  }
}

/** What is typed is meant to run; only what was read before may still be looked at first. */
async function earlyStart({ globals, stop, config }: Run): Promise<HeadStart | undefined> {
  const { target } = globals;
  if (target?.kind !== 'command' || config !== undefined) return undefined;
  const onStderr = (text: string): void => showStderr(target.name, text);
  const logger = loggerOf(globals);
  return startEarly(target, { stop, logger, ...(isTalkative(globals) && { onStderr }) });
}

async function lendManager<T>(
  run: Run,
  early: HeadStart | undefined,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const { globals, stop, more = {} } = run;
  const { createManager, createEraFile, erasPath } = await import('./manager.ts');
  const { entries, client } = run.config ?? (await managed(globals, run.server));
  for (const warning of globals.warnings) warn(globals, warning);
  if (globals.trusted) warnOfTrust(globals, entries);
  const manager = createManager({
    entries,
    client,
    ...optionsOf(globals),
    verdicts: createEraFile(erasPath(process.env)),
    ...(await onTerminal(globals, run.server)),
    ...(early && globals.target && { targets: { [globals.target.name]: early.target } }),
    ...more,
  });
  // Not before those who wait have told the server that they no longer do.
  const close = (): unknown => setImmediate(() => void manager.close());
  stop.addEventListener('abort', close);
  try {
    return await work({ manager, entries });
  } finally {
    stop.removeEventListener('abort', close);
    await manager.close();
  }
}

async function managed(
  globals: Globals,
  server: string | undefined,
): Promise<Pick<LoadedConfig, 'entries' | 'client'>> {
  if (globals.target !== undefined) {
    return { entries: [await entryOfTarget(globals.target)], client: {} };
  }
  // A server that is typed needs none of it.
  const { entryOf, noServers, readConfig } = await import('./config.ts');
  const config = await readConfig(globals, server);
  if (server !== undefined) entryOf(config, server, globals);
  else if (config.entries.length === 0) throw noServers(globals, config);
  return config;
}

async function entryOfTarget(target: Target): Promise<ServerEntry> {
  const { adHocEntry } = await import('./manager.ts');
  if (target.kind === 'url') {
    return adHocEntry({ url: target.url, headers: target.headers }, target.name);
  }
  if (target.kind === 'unix') return adHocEntry({ unix: target.path }, target.name);
  const { command, args, env, cwd = process.cwd() } = target;
  return adHocEntry({ command, args, env, cwd }, target.name);
}

function optionsOf(globals: Globals): Omit<ManagerOptions, 'entries'> {
  const { root, policy, era, timeoutMs, allowStdoutLogOutsideRoot } = globals;
  const isOwnWord = globals.trusted || globals.target !== undefined;
  return {
    root,
    name: 'mcpctl',
    version: version(),
    trust: isOwnWord ? 'trusted' : 'untrusted',
    policy,
    env: process.env,
    home: home(),
    allowStdoutLogOutsideRoot,
    reconnect: false,
    // Nobody will look for the tools of a server that is in no file.
    ...(globals.target !== undefined && { toolCache: false as const }),
    era,
    ...(timeoutMs !== undefined && { timeoutMs, connectTimeoutMs: timeoutMs }),
    logger: loggerOf(globals),
  };
}

function loggerOf({ logLevel }: Globals): Logger {
  return logLevel === 'silent' ? silentLogger : stderrLogger(logLevel);
}

/** Whether the user wants to see what servers say on their standard error. */
function isTalkative({ trace, logLevel }: Globals): boolean {
  return trace || logLevel === 'debug' || logLevel === 'info';
}

/** What a person at a terminal gets to see and is asked. */
async function onTerminal(
  globals: Globals,
  server: string | undefined,
): Promise<Partial<ManagerOptions>> {
  const { trace, quiet, noColor, namedRoot } = globals;
  const isAttended = process.stdin.isTTY && process.stderr.isTTY;
  return {
    ...(trace && { onTrace: (await import('./terminal/trace.ts')).tracePrinter({ noColor }) }),
    ...(isTalkative(globals) && { onStderr: showStderr }),
    ...((isAttended || namedRoot !== undefined) && {
      inputs: (await import('./terminal/inputs.ts')).terminalInputs({
        server,
        root: namedRoot,
        noColor,
      }),
    }),
    ...(process.stderr.isTTY && !quiet && { onChange: await spinning(globals) }),
  };
}

function showStderr(server: string, text: string): void {
  for (const line of text.split(/\r?\n/)) {
    if (line !== '') process.stderr.write(`[${plainText(server)}] ${plainText(line)}\n`);
  }
}

/** Shows which servers are waited for. */
async function spinning(globals: Globals): Promise<(status: ServerStatus) => void> {
  const [{ startSpinner }, { shownTarget }] = await Promise.all([
    import('./terminal/spinner.ts'),
    import('./config.ts'),
  ]);
  const spinners = new Map<string, { stop(): void }>();
  return ({ name, state, entry }) => {
    spinners.get(name)?.stop();
    spinners.delete(name);
    if (state !== 'starting') return;
    const target = entry === undefined ? '' : ` (${shownTarget(entry, globals)})`;
    spinners.set(name, startSpinner(`starting ${name}${target}`));
  };
}

/** What approving everything at once may let happen unseen. */
function warnOfTrust(globals: Globals, entries: readonly ServerEntry[]): void {
  const programs = entries.flatMap(({ name, enabled, transport }) =>
    enabled && transport.kind === 'stdio' ? [{ name, transport }] : [],
  );
  const inheriting = programs.filter(({ transport }) => transport.inheritEnv);
  if (inheriting.length > 0) {
    const names = inheriting.map(({ name }) => name).join(', ');
    warn(
      globals,
      `WARNING: stdio servers with inherit_env=true may inherit host secrets: ${names}`,
    );
  }
  if (programs.some(({ transport }) => transport.stdoutLog !== undefined)) {
    warn(globals, 'WARNING: stdout_log writes protocol data to disk and may contain secrets.');
  }
}
