import path from 'node:path';
import { KitError, type Limits, type Logger, type Target } from 'mcp-kit/internal';
import type { ChildOptions } from 'mcp-kit/transport/child-process';
import type { HttpClientOptions } from 'mcp-kit/transport/http-client';
import type { HttpSettings, ServerEntry, StdioSettings, UnixSettings } from '../config/entry.ts';
import { readEnvFile } from '../config/env-file.ts';
import type { Egress } from '../egress/egress.ts';
import type { ManagerOptions } from '../options.ts';
import type { Admitted } from './admission.ts';
import { sessionAuth, type LoginPlace } from './logins.ts';
import { routeOf, type Network } from './network.ts';

/** What targets need to know beside their entry. */
export interface TargetPlace {
  /** Where processes start, and where logs must stay. */
  readonly root: string;
  readonly allowLogOutsideRoot: boolean;
  readonly onStderr?: ((text: string) => void) | undefined;
  readonly onHttp?: HttpClientOptions['onHttp'] | undefined;
  readonly logger: Logger;
  readonly logins: LoginPlace;
  /** How servers that are trusted are reached, where their entries do not say. */
  readonly network: Network & Pick<ManagerOptions, 'agentFor' | 'limits'>;
}

/** A way to a server, and what it holds. */
export interface Way {
  readonly target: Target;
  /** Lets go of the connections that it keeps for later. */
  release(): void;
}

/** How to reach an admitted server, `written` as its file has it. The code for each way is loaded when it is taken. */
export async function wayTo(
  admitted: Admitted,
  written: ServerEntry,
  place: TargetPlace,
): Promise<Way> {
  const { transport } = admitted.entry;
  const limits = limitsFor(admitted, place);
  switch (transport.kind) {
    case 'stdio':
      return {
        target: await processTarget(transport, place, {
          // The values of variables are nobody's business.
          shown: written.transport.kind === 'stdio' ? written.transport : undefined,
          program: admitted.program,
          limits,
        }),
        release: () => {},
      };
    case 'unix':
      return unixWay(transport, limits, place);
    case 'http':
      return urlWay(transport, admitted, place);
  }
}

/** Whoever is not trusted does not say what we put up with. */
function limitsFor({ entry, egress }: Admitted, { network }: TargetPlace): Partial<Limits> {
  return egress === undefined ? { ...network.limits, ...entry.limits } : {};
}

async function processTarget(
  settings: StdioSettings,
  place: TargetPlace,
  more: Pick<ChildOptions, 'shown' | 'program' | 'limits'>,
): Promise<Target> {
  const { command, args, cwd = place.root, env, inheritEnv, envFile, stdoutLog } = settings;
  const { onStderr, logger } = place;
  const [{ childTarget }, fromFile] = await Promise.all([
    import('mcp-kit/transport/child-process'),
    envFile === undefined ? undefined : readEnvFile(envFile),
  ]);
  return childTarget({
    command,
    ...more,
    args,
    cwd,
    env: { ...fromFile, ...env },
    inheritEnv,
    logger,
    stdoutLog: stdoutLog && { ...stdoutLog, ...logPlace(stdoutLog.path, place) },
    onStderr,
  });
}

function logPlace(log: string, { root, allowLogOutsideRoot }: TargetPlace): object {
  const file = path.resolve(root, log);
  return { path: file, root: allowLogOutsideRoot ? path.dirname(file) : root };
}

async function unixWay(
  settings: UnixSettings,
  limits: Partial<Limits>,
  { logger, onHttp }: TargetPlace,
): Promise<Way> {
  const { path: socketPath, httpPath, headers } = settings;
  if (httpPath === undefined) {
    const { socketTarget } = await import('mcp-kit/transport');
    return { target: socketTarget(socketPath, { limits }), release: () => {} };
  }
  const { httpTarget } = await import('mcp-kit/transport/http-client');
  const { Agent } = await import('node:http');
  const agent = new Agent({ keepAlive: true, socketPath } as object);
  const options = { headers, agent, limits, logger, onHttp };
  const target = httpTarget(new URL(httpPath, 'http://localhost'), options);
  const named = { ...target, label: socketPath, key: `unix:${socketPath}#${httpPath}` };
  return { target: named, release: () => agent.destroy() };
}

async function urlWay(
  settings: HttpSettings,
  admitted: Admitted,
  place: TargetPlace,
): Promise<Way> {
  const { logger, logins, onHttp } = place;
  const { url, streamUrl, headers } = settings;
  const { entry, egress } = admitted;
  for (const one of [url, streamUrl ?? url]) {
    if (!/^https?:$/.test(schemeOf(one))) throw notHttp(entry.name);
  }
  if (egress !== undefined && streamUrl !== undefined && schemeOf(url) !== schemeOf(streamUrl)) {
    const message = `mcp server ${entry.name}: one of its URLs is https, one is not`;
    throw new KitError('invalid_config', message, { hint: 'Use the same scheme for both.' });
  }
  const login = sessionAuth(admitted, logins);
  const options = {
    headers,
    logger,
    onHttp,
    streamUrl,
    limits: limitsFor(admitted, place),
    auth: login?.auth,
    ...(await waysOut(settings, egress, place)),
  };
  const target = await urlTarget(settings, options);
  const release = (): void => {
    egress?.destroy();
    login?.release();
  };
  return { target, release };
}

/** Whoever is not trusted has one way out, whatever proxies and certificates are named. */
async function waysOut(
  settings: HttpSettings,
  egress: Egress | undefined,
  { root, network }: TargetPlace,
): Promise<Pick<HttpClientOptions, 'agent' | 'proxy' | 'ca'>> {
  const { url } = settings;
  if (egress !== undefined) return { agent: egress.agentFor(url) };
  return { agent: network.agentFor?.(url), ...(await routeOf(settings, root, network)) };
}

async function urlTarget(
  { url, flavour }: HttpSettings,
  options: HttpClientOptions,
): Promise<Target> {
  const { httpTarget, sseTarget } = await import('mcp-kit/transport/http-client');
  if (flavour === 'sse') return sseTarget(url, options);
  const target = httpTarget(url, options);
  if (flavour === 'auto') return target;
  const { fallback: _, ...strict } = target;
  return strict;
}

/** Without the URL: values of variables may be in it. */
function notHttp(name: string): KitError {
  return new KitError('invalid_config', `mcp server ${name}: not the URL of an HTTP server`, {
    hint: 'Use an address that begins with http:// or https://, also once its variables are resolved.',
  });
}

function schemeOf(url: string): string {
  return URL.canParse(url) ? new URL(url).protocol : '';
}
