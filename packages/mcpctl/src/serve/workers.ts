import cluster, { type Worker as Process } from 'node:cluster';
import { buryNode, createBackoff, crypto, type Backoff } from 'mcp-kit/internal';
import { exitCodes } from '../exit-code.ts';
import { tell } from '../output.ts';
import { fired } from '../stop.ts';
import type { Announcement } from './announce.ts';
import { hasFiles } from './http.ts';
import { announce } from './serving.ts';
import type { ServeSettings } from './settings.ts';
import { openState, statePlace, type State } from './state.ts';

/** What a worker says once it serves. */
interface Opened {
  readonly node: string;
  readonly announcement: Announcement;
  readonly longestMs: number;
}

/** This process, as one of several that were started to serve together. */
export interface Worker {
  /** How others with the same store know it. */
  readonly node: string;
  /** Fires when it is to end. */
  readonly stop: AbortSignal;
  /** With what is its own. */
  readonly settings: ServeSettings;
  /** Says that it serves. */
  opened(opened: Omit<Opened, 'node'>): void;
}

const numberVariable = 'MCPCTL_WORKER';

/** What this process is, where it was started to serve with others. */
export function asWorker(settings: ServeSettings, stop: AbortSignal): Worker | undefined {
  if (!cluster.isWorker) return undefined;
  const told = new AbortController();
  // Nothing else is ever said to it.
  process.once('message', (reason) => told.abort(reason));
  const node = crypto().randomUUID().slice(0, 8);
  return {
    node,
    stop: AbortSignal.any([stop, told.signal]),
    settings: withOwnMetrics(settings, Number(process.env[numberVariable])),
    opened: (opened) => void process.send?.({ node, ...opened } satisfies Opened),
  };
}

/** Each has numbers of its own, at the next port. */
function withOwnMetrics(settings: ServeSettings, number: number): ServeSettings {
  const { place } = settings;
  if (place.kind !== 'http' || !place.server.metrics?.port) return settings;
  const metrics = { port: place.server.metrics.port + number };
  return { ...settings, place: { ...place, server: { ...place.server, metrics } } };
}

/** Starts processes that do what this one was told to do, and sees to them until it is to stop; gives the exit code. */
export async function serveByWorkers(settings: ServeSettings, stop: AbortSignal): Promise<number> {
  const { place, workers: count = 1 } = settings;
  await using state = await openState(statePlace(place), tell);
  const workers = new Workers({
    count,
    state,
    stop,
    tellWhere: (announcements) => announce(settings, joined(announcements)),
  });
  if (place.kind === 'http' && hasFiles(place.server)) {
    process.removeAllListeners('SIGHUP');
    process.on('SIGHUP', () => workers.signal('SIGHUP'));
  }
  // The store is open for as long.
  return await workers.run();
}

/** They say the same, but for where their numbers are. */
function joined(announcements: readonly Announcement[]): Announcement {
  const [first = { text: '', json: {} }] = announcements;
  const metrics = announcements.flatMap(({ json }) => ('metrics' in json ? [json.metrics] : []));
  if (metrics.length === 0) return first;
  const lines = metrics.slice(1).map((url) => `Metrics: ${String(url)}`);
  return { text: [first.text, ...lines].join('\n'), json: { ...first.json, metrics } };
}

interface WorkersOptions {
  readonly count: number;
  readonly state: State;
  readonly stop: AbortSignal;
  /** All of them serve. */
  readonly tellWhere: (announcements: readonly Announcement[]) => void;
}

/** A process that dies is replaced; soon, unless that happens again and again. */
const restart = { firstMs: 100, maxMs: 5000 };
/** How much longer than it may take a process gets to end. */
const graceMs = 3000;

/** Several processes with one port and one store, until they are told to stop; gives the exit code. */
class Workers {
  readonly #options: WorkersOptions;
  readonly #processes = new Map<number, Process>();
  readonly #opened = new Map<number, Opened>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #isEnding = false;
  #code: number = exitCodes.ok;
  #ended: () => void = () => undefined;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  async run(): Promise<number> {
    const { count, stop } = this.#options;
    const ended = new Promise<void>((resolve) => (this.#ended = resolve));
    for (let number = 0; number < count; number += 1) this.#start(number, createBackoff(restart));
    void fired(stop).then(() => this.#end(stop.reason));
    await ended;
    return this.#code;
  }

  /** Passes a signal on. */
  signal(name: NodeJS.Signals): void {
    for (const { process: child } of this.#processes.values()) child.kill(name);
  }

  #start(number: number, backoff: Backoff): void {
    const child = cluster.fork({ [numberVariable]: String(number) });
    this.#processes.set(number, child);
    child.on('message', (opened: Opened) => this.#hear(number, opened));
    // What it was told while it ended needs no answer.
    child.on('error', () => undefined);
    child.once('exit', (code, signal) => {
      this.#processes.delete(number);
      if (!this.#isEnding && this.#opened.has(number)) {
        this.#bury(number, signal || `code ${code}`);
        this.#later(backoff.next(), () => this.#start(number, backoff));
      } else if (!this.#isEnding) {
        // It has said why.
        this.#code = code || exitCodes.failed;
        this.#end('SIGTERM');
      }
      if (this.#isEnding && this.#processes.size === 0) this.#ended();
    });
  }

  #hear(number: number, opened: Opened): void {
    const { count, tellWhere } = this.#options;
    const isFirst = this.#opened.size < count;
    this.#opened.set(number, opened);
    if (!isFirst || this.#opened.size < count) return;
    const inOrder = [...this.#opened].toSorted(([a], [b]) => a - b);
    tellWhere(inOrder.map(([, { announcement }]) => announcement));
  }

  /** Nobody waits for it any longer: that it has ended is certain. */
  #bury(number: number, why: string): void {
    tell(`warning: a process ended (${why}), and another one takes its place`);
    const { store } = this.#options.state;
    const { node = '' } = this.#opened.get(number) ?? {};
    if (store === undefined) return;
    buryNode(store, node).catch((error: unknown) => tell(`warning: ${String(error)}`));
  }

  #end(reason: unknown): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    for (const timer of this.#timers) clearTimeout(timer);
    for (const child of this.#processes.values()) child.send(String(reason));
    if (this.#processes.size === 0) this.#ended();
    const longestMs = Math.max(0, ...[...this.#opened.values()].map((one) => one.longestMs));
    const kill = (): void => this.signal('SIGKILL');
    setTimeout(kill, longestMs + graceMs).unref();
  }

  #later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      work();
    }, ms);
    this.#timers.add(timer);
  }
}
