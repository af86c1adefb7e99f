import { createDeferred } from 'mcp-kit/internal';
import {
  adHocEntry,
  createManager,
  type Manager,
  type ManagerOptions,
  type ServerEntry,
  type ServerStatus,
} from '@mcp-kit/host';
import type { Mark } from './marked-processes.ts';

const initialized = JSON.stringify({
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'shell', version: '1' },
});

function listOf(tools: readonly string[]): string {
  const inputSchema = { type: 'object' };
  return JSON.stringify({ tools: tools.map((name) => ({ name, inputSchema })) });
}

/** How a legacy server behaves. */
export interface Behaviour {
  /** `well`; `hangs`: never says a word; `crashes`: ends at once; `crashes when opened`: right after the handshake. */
  readonly mood?: 'well' | 'hangs' | 'crashes' | 'crashes when opened';
  /** How long it takes to start. */
  readonly startMs?: number;
  readonly tools?: readonly string[];
  /** A file that gets a line each time it starts. */
  readonly diary?: string;
}

/** The program of a server in the shell, which starts in no time: `pid` and `die` are its tools. */
function scriptOf({
  mood = 'well',
  startMs = 0,
  tools = ['die', 'pid'],
  diary,
}: Behaviour): string {
  const answer = (result: string): string =>
    `printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" ${result};;`;
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const end = `echo 'out of cheese' >&2; exit 3`;
  const text = `'{"content":[{"type":"text","text":"'$$'"}]}'`;
  return [
    diary === undefined ? '' : `echo $$ >> ${quoted(diary)}`,
    startMs > 0 ? `sleep ${startMs / 1000}` : '',
    mood === 'crashes' ? end : '',
    mood === 'hangs' ? 'while read -r line; do :; done; exit 0' : '',
    'while read -r line; do',
    '  id=${line#*\\"id\\":}; id=${id%%[,\\}]*}',
    '  case $line in',
    `    *'"method":"initialize"'*) ${answer(quoted(initialized))}`,
    `    *'"method":"notifications/initialized"'*) ${mood === 'crashes when opened' ? end : ':'};;`,
    `    *'"method":"ping"'*) ${answer(quoted('{}'))}`,
    `    *'"method":"tools/list"'*) ${answer(quoted(listOf(tools)))}`,
    `    *'"name":"die"'*) ${end};;`,
    `    *'"method":"tools/call"'*) ${answer(text)}`,
    `    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown"}}\\n' "$id";;`,
    '  esac',
    'done',
  ]
    .filter((line) => line !== '')
    .join('\n');
}

/** The entry of such a server; its processes have the mark. */
export function shellServer(name: string, mark: Mark, behaviour: Behaviour = {}): ServerEntry {
  const args = ['-c', scriptOf(behaviour)];
  return adHocEntry({ command: '/bin/sh', args, env: mark.env }, name);
}

/** A manager whose steps can be waited for. */
export interface Watched extends AsyncDisposable {
  readonly manager: Manager;
  readonly steps: readonly ServerStatus[];
  /** The first step, past or future, that matches. */
  until(matches: (status: ServerStatus) => boolean): Promise<ServerStatus>;
}

export function managing(
  entries: readonly ServerEntry[],
  options: Omit<ManagerOptions, 'entries'> = {},
): Watched {
  const steps: ServerStatus[] = [];
  const watchers = new Set<(status: ServerStatus) => void>();
  const manager = createManager({
    entries,
    trust: 'trusted',
    receipts: false,
    toolCache: false,
    era: 'legacy',
    ...options,
    onChange: (status) => {
      steps.push(status);
      for (const watcher of watchers) watcher(status);
    },
  });
  return {
    manager,
    steps,
    async until(matches) {
      const found = createDeferred<ServerStatus>();
      const look = (status: ServerStatus): void => {
        if (matches(status)) found.resolve(status);
      };
      for (const status of steps) look(status);
      watchers.add(look);
      try {
        return await found.promise;
      } finally {
        watchers.delete(look);
      }
    },
    [Symbol.asyncDispose]: () => manager.close(),
  };
}

/** The process that a server says it is. */
export async function pidOf(manager: Manager, name: string): Promise<number> {
  const { content } = await manager.server(name).callTool('pid');
  const [first] = content as readonly { readonly text: string }[];
  return Number(first?.text);
}
