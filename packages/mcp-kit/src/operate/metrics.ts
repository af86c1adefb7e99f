import { isRecord, rpcErrors } from '#jsonrpc';
import type { Endpoint, Observer } from '#transport/http';
import type { CallCounts, CallOutcome, EndedCall } from './calls.ts';
import { Histogram, Tally, writeMetrics, type Metric } from './exposition.ts';

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

/** Names that clients choose are not all worth a series of their own. */
const maxMethods = 64;
const maxTools = 500;
const other = 'other';

export function createMetrics(counts: CallCounts, endpoint: () => Endpoint | undefined): Metrics {
  const methods = new Map<string, MethodStats>();
  const tools = new Map<string, Tally>();
  const statuses = new Tally();
  const rejections = new Tally();

  const statsOf = ({ exchange, code }: EndedCall): MethodStats => {
    const { method } = exchange.request;
    const known = methods.get(method);
    if (known !== undefined) return known;
    const name = code === rpcErrors.methodNotFound || methods.size >= maxMethods ? other : method;
    const stats = methods.get(name) ?? newStats();
    methods.set(name, stats);
    return stats;
  };

  return {
    observer: {
      answered: (status) => statuses.add(String(status)),
      refused: (cause) => rejections.add(cause),
    },
    ended(call) {
      const stats = statsOf(call);
      stats.outcomes[call.outcome] += 1;
      stats.seconds.observe(call.durationMs / 1000);
      const tool = toolOf(call);
      if (tool === undefined) return;
      const name = tools.has(tool) || tools.size < maxTools ? tool : other;
      const tally = tools.get(name) ?? new Tally();
      tools.set(name, tally);
      tally.add(call.outcome);
    },
    text: () =>
      writeMetrics([
        ...callMetrics(methods, tools),
        {
          name: 'mcp_http_responses_total',
          help: 'Answers by HTTP status.',
          type: 'counter',
          samples: statuses.samples('status'),
        },
        {
          name: 'mcp_rejections_total',
          help: 'Requests that were not served, by cause.',
          type: 'counter',
          samples: rejections.samples('cause'),
        },
        gauge('mcp_calls_in_flight', 'Calls under way.', counts.total),
        ...endpointMetrics(endpoint()),
        ...processMetrics(),
      ]),
  };
}

function newStats(): MethodStats {
  return {
    outcomes: { ok: 0, failed: 0, refused: 0, broken: 0, cancelled: 0 },
    seconds: new Histogram(),
  };
}

/** The tool of a call, if there is one of that name: a name that leads nowhere was refused. */
function toolOf({ exchange, outcome }: EndedCall): string | undefined {
  const { method, params } = exchange.request;
  if (method !== 'tools/call' || outcome === 'refused' || !isRecord(params)) return undefined;
  const { name } = params;
  return typeof name === 'string' ? name : undefined;
}

function callMetrics(
  methods: ReadonlyMap<string, MethodStats>,
  tools: ReadonlyMap<string, Tally>,
): readonly Metric[] {
  return [
    {
      name: 'mcp_requests_total',
      help: 'Requests by method and outcome.',
      type: 'counter',
      samples: [...methods].flatMap(([method, { outcomes }]) =>
        Object.entries(outcomes)
          .filter(([, value]) => value > 0)
          .map(([outcome, value]) => ({ labels: { method, outcome }, value })),
      ),
    },
    {
      name: 'mcp_request_duration_seconds',
      help: 'How long requests took, by method.',
      type: 'histogram',
      samples: [...methods].flatMap(([method, { seconds }]) => seconds.samples({ method })),
    },
    {
      name: 'mcp_tool_calls_total',
      help: 'Calls by tool and outcome.',
      type: 'counter',
      samples: [...tools].flatMap(([tool, tally]) => tally.samples('outcome', { tool })),
    },
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
  ];
}

function processMetrics(): readonly Metric[] {
  const { user, system } = process.cpuUsage();
  const { utilization } = performance.eventLoopUtilization();
  return [
    {
      name: 'process_cpu_seconds_total',
      help: 'CPU time.',
      type: 'counter',
      samples: [{ value: (user + system) / 1e6 }],
    },
    gauge('process_resident_memory_bytes', 'Memory.', process.memoryUsage.rss()),
    gauge('process_start_time_seconds', 'When it started.', performance.timeOrigin / 1000),
    gauge('nodejs_eventloop_utilization', 'How busy it has been, of 1.', utilization),
  ];
}

function gauge(name: string, help: string, value: number): Metric {
  return { name, help, type: 'gauge', samples: [{ value }] };
}
