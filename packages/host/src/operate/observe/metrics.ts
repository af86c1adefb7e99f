import { heldKinds, requestMethods, type Budget, type Service } from 'mcp-kit/internal';
import type { Endpoint, Observer } from 'mcp-kit/transport/http';
import type { StoreHealth } from '../store-health.ts';
import { noOutcomes, toolIn, type CallCounts, type CallOutcome, type EndedCall } from './calls.ts';
import {
  counter,
  gauge,
  Histogram,
  histogram,
  Tally,
  writeMetrics,
  type Metric,
} from './exposition.ts';

/** Counts what an endpoint does. */
export interface Metrics {
  readonly observer: Observer;
  ended(call: EndedCall): void;
  /** All numbers as they are now, in the text format of Prometheus. */
  text(): string;
}

interface MethodStats {
  readonly outcomes: Record<CallOutcome, number>;
  readonly seconds: Histogram;
}

/** Stands for all names that are made up: a label is a name of the protocol, or one that the service knows. */
const other = 'other';
/** A service may have any number of tools, and others tomorrow; not all are worth a series of their own. */
const maxNames = 500;
const maxNameLength = 128;

/** Where the numbers of an endpoint come from. */
interface Sources {
  /** Tells names of the service from those that callers make up. */
  readonly knows: NonNullable<Service['knows']>;
  /** How the store answers, where there is one. */
  readonly store?: (() => StoreHealth) | undefined;
  /** What else is counted. */
  readonly more?: (() => readonly Metric[]) | undefined;
}

/** Makes the numbers of an endpoint. */
export function createMetrics(
  counts: CallCounts,
  endpoint: () => Endpoint | undefined,
  { knows, store, more = () => [] }: Sources,
): Metrics {
  const methods = new Map<string, MethodStats>();
  const tools = new Map<string, Tally>();
  const statuses = new Tally();
  const rejections = new Tally();

  /** What it is counted under. */
  const labelOf = (
    counted: ReadonlyMap<string, unknown>,
    what: 'method' | 'tool',
    name: string,
  ): string => {
    if (counted.has(name)) return name;
    if (counted.size >= maxNames || name.length > maxNameLength) return other;
    return (what === 'method' && requestMethods.has(name)) || knows(what, name) ? name : other;
  };
  const statsOf = (method: string): MethodStats => {
    const label = labelOf(methods, 'method', method);
    const stats = methods.get(label) ?? newStats();
    methods.set(label, stats);
    return stats;
  };
  const tallyOf = (tool: string): Tally => {
    const label = labelOf(tools, 'tool', tool);
    const tally = tools.get(label) ?? new Tally();
    tools.set(label, tally);
    return tally;
  };

  return {
    observer: {
      answered: (status) => statuses.add(String(status)),
      refused: (cause) => rejections.add(cause),
    },
    ended(call) {
      const stats = statsOf(call.exchange.message.method);
      stats.outcomes[call.outcome] += 1;
      stats.seconds.observe(call.durationMs / 1000);
      // A name that leads nowhere was refused.
      const tool = call.outcome === 'refused' ? undefined : toolIn(call.exchange);
      if (tool !== undefined) tallyOf(tool).add(call.outcome);
    },
    text: () =>
      writeMetrics([
        ...callMetrics(methods, tools),
        counter('mcp_http_responses_total', 'Answers by HTTP status.', statuses.samples('status')),
        counter(
          'mcp_rejections_total',
          'Requests that were not served, by cause.',
          rejections.samples('cause'),
        ),
        gauge('mcp_calls_in_flight', 'Calls under way.', counts.total),
        ...endpointMetrics(endpoint()),
        gauge(
          'mcp_store_up',
          'Whether the store answers; 1 without one.',
          store?.() === 'down' ? 0 : 1,
        ),
        ...more(),
        ...processMetrics(),
      ]),
  };
}

function newStats(): MethodStats {
  return {
    outcomes: noOutcomes(),
    seconds: new Histogram(),
  };
}

function callMetrics(
  methods: ReadonlyMap<string, MethodStats>,
  tools: ReadonlyMap<string, Tally>,
): readonly Metric[] {
  const requests = [...methods].flatMap(([method, { outcomes }]) =>
    Object.entries(outcomes)
      .filter(([, value]) => value > 0)
      .map(([outcome, value]) => ({ labels: { method, outcome }, value })),
  );
  const times = [...methods].flatMap(([method, { seconds }]) => seconds.samples({ method }));
  const calls = [...tools].flatMap(([tool, tally]) => tally.samples('outcome', { tool }));
  return [
    counter('mcp_requests_total', 'Requests by method and outcome.', requests),
    histogram('mcp_request_duration_seconds', 'How long requests took, by method.', times),
    counter('mcp_tool_calls_total', 'Calls by tool and outcome.', calls),
  ];
}

function endpointMetrics(endpoint: Endpoint | undefined): readonly Metric[] {
  if (endpoint === undefined) return [];
  const { undelivered, unreadBytes } = endpoint.load();
  return [
    gauge('mcp_sessions', 'Open sessions.', endpoint.sessionCount),
    gauge('mcp_streams', 'Open event streams.', endpoint.streamCount),
    gauge('mcp_undelivered_messages', 'Messages that wait for a stream.', undelivered),
    gauge('mcp_unread_bytes', 'Bytes that readers of streams have not taken.', unreadBytes),
    ...budgetMetrics(endpoint.budget),
  ];
}

function budgetMetrics({ held, letGo, limit }: Budget): readonly Metric[] {
  const byKind = (counts: Budget['held']): Metric['samples'] =>
    heldKinds.map((kind) => ({ labels: { kind }, value: counts[kind] }));
  return [
    gauge('mcp_held_bytes', 'Memory held for clients, by what for.', byKind(held)),
    gauge('mcp_held_bytes_limit', 'Memory that may be held for clients.', limit),
    counter('mcp_let_go_total', 'What was ended to make room, by what it was.', byKind(letGo)),
  ];
}

function processMetrics(): readonly Metric[] {
  const { user, system } = process.cpuUsage();
  const { utilization } = performance.eventLoopUtilization();
  return [
    counter('process_cpu_seconds_total', 'CPU time.', (user + system) / 1e6),
    gauge('process_resident_memory_bytes', 'Memory.', process.memoryUsage.rss()),
    gauge('process_start_time_seconds', 'When it started.', performance.timeOrigin / 1000),
    gauge('nodejs_eventloop_utilization', 'How busy it has been, of 1.', utilization),
  ];
}
