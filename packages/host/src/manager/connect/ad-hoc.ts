import { KitError } from 'mcp-kit/internal';
import type { ServerEntry, TextRecord, TransportSettings } from '../config/entry.ts';

/** A server that somebody names by themselves, without any file. */
export type AdHoc =
  | {
      readonly url: string;
      readonly headers?: TextRecord | undefined;
      readonly flavour?: 'http' | 'sse' | 'auto' | undefined;
    }
  | { readonly unix: string }
  | {
      readonly command: string;
      readonly args?: readonly string[] | undefined;
      readonly env?: TextRecord | undefined;
      readonly cwd?: string | undefined;
      readonly inheritEnv?: boolean | undefined;
    };

/** The entry of a server that is written down nowhere. Nothing in its texts is a reference. */
export function adHocEntry(server: AdHoc, name = 'server'): ServerEntry {
  return {
    name,
    transport: transportOf(server),
    enabled: true,
    timeouts: {},
    tools: {},
    autoApprove: [],
    inputs: [],
    extras: {},
    provenance: { file: '', pointer: '', dialect: 'mcp-kit', scope: 'explicit', keys: {} },
    shadows: [],
  };
}

function transportOf(server: AdHoc): TransportSettings {
  if ('url' in server) {
    const { url, headers = {}, flavour = 'auto' } = server;
    return { kind: 'http', url, flavour, headers, envHeaders: {} };
  }
  if ('unix' in server) return { kind: 'unix', path: server.unix, headers: {} };
  const { command, args = [], env = {}, cwd, inheritEnv = false } = server;
  if (command === '') throw new KitError('invalid_argument', 'the command of a server is empty');
  return { kind: 'stdio', command, args, env, passEnv: [], inheritEnv, cwd };
}
