import { isRecord, type Unreadable } from 'mcp-kit/internal';
import type { ManagerOptions } from '@mcp-kit/host';
import type { HttpEvent } from 'mcp-kit/transport/http-client';

/** What was seen of a server beside its answers. */
export interface Seen {
  /** What came and is no message: the first ones, and how many in all. */
  readonly unreadable: readonly Unreadable[];
  readonly unreadableCount: number;
  /** Notifications that came, by method. */
  readonly notifications: ReadonlyMap<string, number>;
  /** The end of what its process has said on standard error. */
  readonly stderr: string;
  /** The last that was seen of its HTTP. */
  readonly http: HttpEvent | undefined;
}

/** Sees all that crosses, and keeps of it what people need who look for a fault. */
export interface Witness {
  readonly onTrace: NonNullable<ManagerOptions['onTrace']>;
  readonly onStderr: NonNullable<ManagerOptions['onStderr']>;
  readonly onHttp: NonNullable<ManagerOptions['onHttp']>;
  of(server: string): Seen;
}

/** How much is kept of what a process says on its standard error. */
const keptCharacters = 64 * 1024;
const keptUnreadable = 3;
const keptMethods = 16;
const sampleCharacters = 256;

interface Notes {
  unreadable: Unreadable[];
  unreadableCount: number;
  notifications: Map<string, number>;
  stderr: string;
  http: HttpEvent | undefined;
}

export function createWitness(): Witness {
  const servers = new Map<string, Notes>();
  const notesOf = (server: string): Notes => {
    const known = servers.get(server);
    if (known !== undefined) return known;
    const notes: Notes = {
      unreadable: [],
      unreadableCount: 0,
      notifications: new Map(),
      stderr: '',
      http: undefined,
    };
    servers.set(server, notes);
    return notes;
  };
  return {
    of: notesOf,
    onTrace(server, direction, message) {
      if (direction === 'unreadable') noteUnreadable(notesOf(server), message as Unreadable);
      else if (direction === 'received') noteMessage(notesOf(server), message);
    },
    onStderr(server, text) {
      const notes = notesOf(server);
      notes.stderr = (notes.stderr + text).slice(-keptCharacters);
    },
    onHttp(server, event) {
      notesOf(server).http = event;
    },
  };
}

function noteUnreadable(notes: Notes, what: Unreadable): void {
  notes.unreadableCount += 1;
  if (notes.unreadable.length < keptUnreadable) notes.unreadable.push(what);
}

function noteMessage(notes: Notes, message: unknown): void {
  if (Array.isArray(message)) {
    for (const one of message) noteMessage(notes, one);
    return;
  }
  if (!isRecord(message) || message['jsonrpc'] !== '2.0') {
    const sample = JSON.stringify(message).slice(0, sampleCharacters);
    noteUnreadable(notes, { reason: 'not a JSON-RPC message', sample });
    return;
  }
  const { id, method } = message;
  if (id !== undefined || typeof method !== 'string') return;
  const { notifications } = notes;
  const before = notifications.get(method);
  if (before === undefined && notifications.size >= keptMethods) return;
  notifications.set(method, (before ?? 0) + 1);
}
