import { rpcErrors, type Layer } from 'mcp-kit/internal';
import { CallCounts, noOutcomes, observeCalls, type CallOutcome } from './calls.ts';
import { counter, gauge, Histogram, histogram, type Metric } from './exposition.ts';

/** What was asked of one server, and what became of it. */
interface ServerCalls {
  readonly underWay: number;
  /** `broken`: it could not be reached, or failed inside. `refused`: it answered with an error of the protocol. */
  readonly outcomes: Readonly<Record<CallOutcome, number>>;
}

/** How one server is, as far as numbers go. */
interface ServerNumbers {
  readonly name: string;
  readonly state: string;
  readonly restarts: number;
  readonly lost: number;
  readonly conversations: number;
}

/** Counts what is asked of each of many servers. */
interface ServerCounts {
  /** What stands before a server, to count. */
  observe(server: string): Layer;
  of(server: string): ServerCalls;
  /** The numbers of these servers, and of no others: no label is made of anything else. */
  metrics(servers: readonly ServerNumbers[]): readonly Metric[];
}

interface Counted {
  readonly counts: CallCounts;
  readonly outcomes: Record<CallOutcome, number>;
  readonly seconds: Histogram;
}

/** Counts the calls of servers, by their names in the configuration. */
export function countServers(): ServerCounts {
  const all = new Map<string, Counted>();
  const countedOf = (server: string): Counted => {
    const known = all.get(server);
    if (known !== undefined) return known;
    const fresh = {
      counts: new CallCounts(),
      outcomes: noOutcomes(),
      seconds: new Histogram(),
    };
    all.set(server, fresh);
    return fresh;
  };
  return {
    observe(server) {
      const { counts, outcomes, seconds } = countedOf(server);
      return observeCalls(counts, ({ outcome, code, durationMs }) => {
        const isBroken = outcome === 'refused' && code === rpcErrors.internal;
        outcomes[isBroken ? 'broken' : outcome] += 1;
        seconds.observe(durationMs / 1000);
      });
    },
    of(server) {
      const { counts, outcomes } = countedOf(server);
      return { underWay: counts.total, outcomes: { ...outcomes } };
    },
    metrics(servers) {
      // What is no longer configured is forgotten.
      const names = new Set(servers.map(({ name }) => name));
      for (const name of all.keys()) if (!names.has(name)) all.delete(name);
      return metricsOf(servers, countedOf);
    },
  };
}

function metricsOf(
  servers: readonly ServerNumbers[],
  countedOf: (server: string) => Counted,
): readonly Metric[] {
  const each = (value: (server: ServerNumbers) => number): Metric['samples'] =>
    servers.map((server) => ({ labels: { server: server.name }, value: value(server) }));
  const calls = servers.flatMap(({ name: server }) =>
    Object.entries(countedOf(server).outcomes).map(([outcome, value]) => ({
      labels: { server, outcome },
      value,
    })),
  );
  const times = servers.flatMap(({ name: server }) =>
    countedOf(server).seconds.samples({ server }),
  );
  const states = servers.map(({ name: server, state }) => ({
    labels: { server, state },
    value: 1,
  }));
  return [
    counter('mcp_server_calls_total', 'Requests to a server, by outcome.', calls),
    histogram('mcp_server_call_duration_seconds', 'How long a server took.', times),
    gauge(
      'mcp_server_calls_in_flight',
      'Requests under way at a server.',
      each(({ name }) => countedOf(name).counts.total),
    ),
    gauge('mcp_server_state', 'The state that a server is in.', states),
    gauge(
      'mcp_server_conversations',
      'Conversations with a server on behalf of clients.',
      each(({ conversations }) => conversations),
    ),
    counter(
      'mcp_server_restarts_total',
      'How often a server was restarted, or a conversation with it was lost.',
      each(({ restarts }) => restarts),
    ),
    counter(
      'mcp_server_lost_total',
      'How often a conversation with a server was lost.',
      each(({ lost }) => lost),
    ),
  ];
}
