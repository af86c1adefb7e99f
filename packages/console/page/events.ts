import type { OpenQuestion } from '../src/api/trying.ts';
import { access, enter } from './api.ts';
import { addRows, clearRows, type Row } from './rows.ts';
import { createStore } from './store.ts';

/** How a server is, as the gateway tells. */
export interface ServerState {
  readonly name: string;
  readonly state: string;
  readonly reason?: string;
  readonly next?: string;
  readonly since: number;
  readonly retryAt?: number;
  readonly pid?: number;
  readonly version?: string;
  readonly era?: string;
  readonly restarts: number;
  readonly tools: number;
  readonly prompts: number;
  readonly resources: number;
  readonly withheld: readonly string[];
  readonly differences: readonly string[];
  readonly conversations: number;
  readonly calls: {
    readonly underWay: number;
    readonly outcomes: Readonly<Record<string, number>>;
  };
}

export interface GatewayState {
  readonly run: string;
  readonly status: {
    readonly gateway: {
      readonly name: string;
      readonly address: string;
      readonly version: string;
      readonly startedAt: number;
    };
    readonly hash: string;
    readonly servers: readonly ServerState[];
  };
}

export interface Progress {
  readonly name: string;
  readonly progress?: number;
  readonly total?: number;
  readonly message?: string;
}

export const gateway = createStore<GatewayState | undefined>(undefined);
export const questions = createStore<readonly OpenQuestion[]>([]);
export const progress = createStore<Progress | undefined>(undefined);

/** Hears the gateway for as long as this page is open; the browser comes back by itself to where it was. */
export async function follow(): Promise<void> {
  if (!(await enter())) {
    access.set('refused');
    return;
  }
  const source = new EventSource('/console/api/events');
  const on = (name: string, heard: (data: never) => void): void => {
    source.addEventListener(name, ({ data }) => heard(JSON.parse(String(data)) as never));
  };
  source.addEventListener('open', () => access.set('in'));
  source.addEventListener('error', () => {
    // Whoever is refused is not asked again by itself; a gateway that is away is.
    access.set(source.readyState === EventSource.CLOSED ? 'refused' : 'lost');
  });
  on('state', (state: GatewayState) => {
    const before = gateway.get();
    if (before !== undefined && before.run !== state.run) clearRows();
    gateway.set(state);
  });
  on('rows', ({ rows, missed }: { rows: readonly Row[]; missed: number }) => addRows(rows, missed));
  on('questions', (open: readonly OpenQuestion[]) => questions.set(open));
  on('progress', (told: Progress) => progress.set(told));
}
