import type { Assessment, ServerEntry, ServerState, TransportSettings } from '@mcp-kit/host';
import { targetOf } from '@mcp-kit/host/internal';
import { shownTarget } from '../config.ts';
import type { Globals } from '../globals.ts';

/** What is known of a server without talking to it. */
export interface ServerRow {
  readonly entry: ServerEntry;
  readonly trust: Assessment['verdict'];
  readonly state: ServerState;
}

const transportNames = { stdio: 'stdio', unix: 'unix', http: 'streamable_http' } as const;

/** A server as data: names of variables and headers, never their values; URLs without credentials and query. */
export function describeServer({ entry, trust, state }: ServerRow, globals: Globals): object {
  const { name, transport, provenance, shadows, title, description } = entry;
  const place = { file: provenance.file, pointer: provenance.pointer };
  return {
    name,
    transport: transportNames[transport.kind],
    target: shownTarget(entry, globals),
    ...describeProcess(transport, globals),
    unix_path: transport.kind === 'unix' ? transport.path : null,
    ...describeRemote(entry),
    ...describeLog(transport),
    state,
    trust,
    enabled: entry.enabled,
    title,
    description,
    provenance: { ...place, dialect: provenance.dialect, scope: provenance.scope },
    shadows: shadows.map(({ file, pointer }) => ({ file, pointer })),
  };
}

function describeProcess(transport: TransportSettings, { showArgv }: Globals): object {
  if (transport.kind !== 'stdio') {
    return { argv_program: null, argv_argc: 0, inherit_env: false, env_keys: [] };
  }
  const { command, args, inheritEnv, env, passEnv } = transport;
  return {
    argv_program: command,
    argv_argc: args.length + 1,
    argv: showArgv ? [command, ...args] : undefined,
    inherit_env: inheritEnv,
    env_keys: [...new Set([...Object.keys(env), ...passEnv])].sort(),
  };
}

function describeRemote(entry: ServerEntry): object {
  const { transport } = entry;
  if (transport.kind !== 'http') {
    return {
      url: null,
      sse_url: null,
      http_url: null,
      bearer_token_env_var: null,
      http_header_keys: transport.kind === 'unix' ? Object.keys(transport.headers).sort() : [],
      env_http_header_keys: [],
    };
  }
  const { streamUrl, headers, envHeaders, bearerTokenEnv } = transport;
  const url = targetOf(entry);
  const isSplit = streamUrl !== undefined;
  return {
    url: isSplit ? null : url,
    sse_url: isSplit ? targetOf({ ...entry, transport: { ...transport, url: streamUrl } }) : null,
    http_url: isSplit ? url : null,
    bearer_token_env_var: bearerTokenEnv ?? null,
    http_header_keys: Object.keys(headers).sort(),
    env_http_header_keys: Object.keys(envHeaders).sort(),
  };
}

function describeLog(transport: TransportSettings): object {
  const log = transport.kind === 'stdio' ? transport.stdoutLog : undefined;
  if (log === undefined) return { stdout_log: null };
  const { path, maxBytesPerPart, maxParts } = log;
  return {
    stdout_log: {
      path,
      max_bytes_per_part: maxBytesPerPart ?? null,
      max_parts: maxParts ?? null,
    },
  };
}
