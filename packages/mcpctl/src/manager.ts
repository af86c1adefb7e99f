import {
  adHocEntry,
  createManager,
  createEraFile,
  erasPath,
  type ManagedConfig,
  type Manager,
  type ManagerOptions,
  type ServerEntry,
  type ServerStatus,
} from '@mcp-kit/host';
import { KitError } from 'mcp-kit/internal';
import type { Target as ReadyTarget } from 'mcp-kit/protocol';
import { offerApproval } from './commands/trust/offer.ts';
import { userName } from './commands/trust/view.ts';
import { entryOf, noServers, readConfig, shownTarget } from './config.ts';
import { home, type Globals } from './globals.ts';
import { loggerOf } from './logs.ts';
import type { Opened, Run } from './open.ts';
import { tell, warn } from './output.ts';
import { isAttended } from './setup/change.ts';
import type { Target } from './target.ts';
import { terminalInputs } from './terminal/inputs.ts';
import { startSpinner } from './terminal/spinner.ts';
import { version } from './version.ts';
import { told, watching, type Watched } from './watching.ts';

/** Makes a manager as the options say, and closes it when the work is done or the user stops; `ready` leads to what was typed. */
export async function useManager<T>(
  run: Watched,
  ready: ReadyTarget | undefined,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const { globals, stop, witness, more } = run;
  const config = run.config ?? (await managed(globals, run.server));
  const { entries } = config;
  warnBefore(globals, config);
  const manager = managerFor(globals, config, {
    ...onTerminal(globals, run.server),
    ...watching(globals, witness),
    targets: ready && globals.target && { [globals.target.name]: ready },
    ...more,
  });
  // Not before those who wait have told the server that they no longer do.
  const close = (): unknown => setImmediate(() => void manager.close());
  stop.addEventListener('abort', close);
  try {
    const entry = entries.find(({ name }) => name === run.server);
    const opened = { manager, entries, witness };
    const offered = (): Promise<T> =>
      entry === undefined ? work(opened) : offering(entry, opened, { run, work });
    // What is still under way at a failure ends, and is seen to.
    const ended = (): Promise<T> =>
      offered().catch(async (error: unknown) => {
        await manager.close();
        throw error;
      });
    return await told(run, entries, ended);
  } finally {
    stop.removeEventListener('abort', close);
    await manager.close();
  }
}

/** Does the work; if it is refused for want of an approval, the person at the terminal is asked for one, and it is done then. */
async function offering<T>(
  entry: ServerEntry,
  opened: Opened,
  { run, work }: { readonly run: Run; readonly work: (opened: Opened) => Promise<T> },
): Promise<T> {
  try {
    return await work(opened);
  } catch (error) {
    if (!isAttended() || !isRefusal(error)) throw error;
    const { manager } = opened;
    const standing = await manager.trustOf(entry.name);
    if (standing.verdict === 'trusted') throw error;
    tell(error.message);
    if (!(await offerApproval(entry, { ...run, changes: standing.changes }))) {
      // Why it was asked has been said.
      throw new KitError(error.code, `${entry.name} is not approved: nothing was done`, {
        details: error.details,
      });
    }
    await manager.approve(entry.name, { by: userName() });
    return work(opened);
  }
}

/** Whether something was not done because of who asks for it; nothing of it has happened then. */
function isRefusal(error: unknown): error is KitError {
  return (
    error instanceof KitError &&
    error.code === 'refused_by_policy' &&
    error.details?.['ran'] === false
  );
}

/** Makes a manager as the options say. */
export function managerFor(
  globals: Globals,
  { entries, client, gateway }: ManagedConfig,
  more: Partial<ManagerOptions> = {},
): Manager {
  const eraCache = createEraFile(erasPath(process.env));
  return createManager({ entries, client, gateway, ...optionsOf(globals), eraCache, ...more });
}

/** Says what the user should know before servers are used. */
export function warnBefore(globals: Globals, { entries }: Pick<ManagedConfig, 'entries'>): void {
  for (const warning of globals.warnings) warn(globals, warning);
  if (globals.trusted) warnOfTrust(globals, entries);
}

/** The servers that the command line means. */
export async function managed(
  globals: Globals,
  server: string | undefined,
): Promise<ManagedConfig> {
  if (globals.target !== undefined) {
    return { entries: [entryOfTarget(globals.target)], client: {} };
  }
  const config = await readConfig(globals, server);
  if (server !== undefined) entryOf(config, server, globals);
  else if (config.entries.length === 0) throw noServers(globals, config);
  return config;
}

function entryOfTarget(target: Target): ServerEntry {
  if (target.kind === 'url') {
    return adHocEntry({ url: target.url, headers: target.headers }, target.name);
  }
  if (target.kind === 'unix') return adHocEntry({ unix: target.path }, target.name);
  const { command, args, env, cwd = process.cwd() } = target;
  return adHocEntry({ command, args, env, cwd }, target.name);
}

function optionsOf(globals: Globals): Omit<ManagerOptions, 'entries'> {
  const { root, policy, era, timeoutMs, allowStdoutLogOutsideRoot } = globals;
  const { proxy, ca, maxMessageBytes } = globals;
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
    toolCache: globals.target === undefined ? undefined : false,
    era,
    timeoutMs,
    connectTimeoutMs: timeoutMs,
    proxy,
    ca,
    limits: maxMessageBytes === undefined ? undefined : { maxBytes: maxMessageBytes },
    logger: loggerOf(globals),
  };
}

/** What a person at a terminal gets to see and is asked. */
export function onTerminal(globals: Globals, server: string | undefined): Partial<ManagerOptions> {
  const { quiet, noColor, namedRoot } = globals;
  const mayAnswer = (process.stdin.isTTY && process.stderr.isTTY) || namedRoot !== undefined;
  return {
    inputs: mayAnswer ? terminalInputs({ server, root: namedRoot, noColor }) : undefined,
    onChange: process.stderr.isTTY && !quiet ? spinning(globals) : undefined,
  };
}

/** Shows which servers are waited for. */
function spinning(globals: Globals): (status: ServerStatus) => void {
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
