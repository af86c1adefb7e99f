// What ours is to reach, and whether it did. `most` is the target; a row without one is only compared with the peers.
const rows = [
  { key: 'http-json/1/cpu', what: 'HTTP tools/call, JSON, 2025-11-25, 1 connection', unit: '×' },
  {
    key: 'http-json/16/cpu',
    what: 'HTTP tools/call, JSON, 2025-11-25, 16 connections',
    unit: '×',
    most: 1.5,
  },
  {
    key: 'http-json/64/cpu',
    what: 'HTTP tools/call, JSON, 2025-11-25, 64 connections',
    unit: '×',
    most: 1.5,
  },
  {
    key: 'http-json/256/cpu',
    what: 'HTTP tools/call, JSON, 2025-11-25, 256 connections',
    unit: '×',
  },
  {
    key: 'http-sse/16/cpu',
    what: 'HTTP tools/call, event stream, 16 connections',
    unit: '×',
    most: 1.5,
  },
  { key: 'http-2026/1/cpu', what: 'HTTP tools/call, 2026-07-28, 1 connection', unit: '×' },
  {
    key: 'http-2026/16/cpu',
    what: 'HTTP tools/call, 2026-07-28, 16 connections',
    unit: '×',
    most: 1.6,
  },
  {
    key: 'http-2026/64/cpu',
    what: 'HTTP tools/call, 2026-07-28, 64 connections',
    unit: '×',
    most: 1.6,
  },
  { key: 'http-2026/256/cpu', what: 'HTTP tools/call, 2026-07-28, 256 connections', unit: '×' },
  { key: 'list/16/cpu', what: 'HTTP tools/list, 40 tools, 16 connections', unit: '×', most: 1.3 },
  { key: 'governed/plain', what: 'governed tools/call beside a plain one', unit: '×', most: 1.3 },
  {
    key: 'governed/plain/writing',
    what: 'governed tools/call of a writing tool beside a plain one',
    unit: '×',
    most: 1.3,
  },
  {
    key: 'governed/sdk-v2',
    what: 'governed tools/call beside a plain one of SDK v2',
    unit: '×',
    most: 0.333,
  },
  {
    key: 'governed-list/floor',
    what: 'HTTP tools/list, 200 governed tools, 16 connections',
    unit: '×',
    most: 1,
  },
  { key: 'large/16/cpu', what: 'HTTP result of 1 MiB, 16 connections, CPU', unit: '×' },
  {
    key: 'large-2026/16/cpu',
    what: 'HTTP result of 1 MiB, 2026-07-28, 16 connections, CPU',
    unit: '×',
    most: 1.05,
  },
  {
    key: 'body/16/cpu',
    what: 'HTTP body of 1 MiB with many quotes, 16 connections, CPU',
    unit: '×',
    most: 1.15,
  },
  {
    key: 'sessions/16/cpu',
    what: 'HTTP session opened and deleted, 16 connections, CPU',
    unit: '×',
    most: 1.5,
  },
  { key: 'large/16/rss', what: 'HTTP result of 1 MiB, 16 connections, RSS', unit: 'MiB' },
  { key: 'stdio-2025/1', what: 'stdio tools/call, 2025-11-25, 1 in flight', unit: '×', most: 1.5 },
  {
    key: 'stdio-2025/64',
    what: 'stdio tools/call, 2025-11-25, 64 in flight',
    unit: '×',
    most: 1.3,
  },
  { key: 'stdio-2026/1', what: 'stdio tools/call, 2026-07-28, 1 in flight', unit: '×', most: 1.5 },
  {
    key: 'stdio-2026/64',
    what: 'stdio tools/call, 2026-07-28, 64 in flight',
    unit: '×',
    most: 1.3,
  },
  { key: 'lines/16', what: 'stdio, a line of 16 MiB echoed, time', unit: '×', most: 1.1 },
  { key: 'startup/stdio', what: 'start-up to answered initialize, stdio', unit: '×', most: 1.7 },
  { key: 'startup/http', what: 'start-up to answered initialize, HTTP', unit: '×', most: 1.7 },
  { key: 'import/entry', what: 'import of the server entry', unit: 'ms', most: 20 },
  { key: 'import/http', what: 'import of all that an HTTP server needs', unit: 'ms' },
  { key: 'import/stdio', what: 'import of all that a stdio server needs', unit: 'ms' },
  { key: 'memory-2025/session', what: 'idle session, heap', unit: 'KiB', most: 2 },
  { key: 'memory-2025/stream', what: 'idle event stream, 2025-11-25, heap', unit: 'KiB', most: 7 },
  { key: 'memory-2026/stream', what: 'idle event stream, 2026-07-28, heap', unit: 'KiB', most: 7 },
  { key: 'client-http/1/cpu', what: 'client, HTTP, JSON, 2025-11-25, 1 in flight', unit: '×' },
  {
    key: 'client-http/16/cpu',
    what: 'client, HTTP, JSON, 2025-11-25, 16 in flight',
    unit: '×',
    most: 1.5,
  },
  { key: 'client-http/64/cpu', what: 'client, HTTP, JSON, 2025-11-25, 64 in flight', unit: '×' },
  {
    key: 'client-sse/16/cpu',
    what: 'client, HTTP, event stream, 2025-11-25, 16 in flight',
    unit: '×',
  },
  { key: 'client-http-2026/1/cpu', what: 'client, HTTP, 2026-07-28, 1 in flight', unit: '×' },
  { key: 'client-http-2026/16/cpu', what: 'client, HTTP, 2026-07-28, 16 in flight', unit: '×' },
  { key: 'client-http-2026/64/cpu', what: 'client, HTTP, 2026-07-28, 64 in flight', unit: '×' },
  { key: 'client-stdio/1/cpu', what: 'client, stdio, 2025-11-25, 1 in flight', unit: '×' },
  {
    key: 'client-stdio/64/cpu',
    what: 'client, stdio, 2025-11-25, 64 in flight',
    unit: '×',
    most: 1.6,
  },
  { key: 'client-stdio-2026/1/cpu', what: 'client, stdio, 2026-07-28, 1 in flight', unit: '×' },
  { key: 'client-stdio-2026/64/cpu', what: 'client, stdio, 2026-07-28, 64 in flight', unit: '×' },
  {
    key: 'client-first/http',
    what: 'client, HTTP, 2025-11-25, first connect and call with import',
    unit: '×',
    most: 2,
  },
  {
    key: 'client-first-2026/http',
    what: 'client, HTTP, 2026-07-28, first connect and call with import',
    unit: '×',
  },
  {
    key: 'client-first/stdio',
    what: 'client, stdio, 2025-11-25, first connect and call with import',
    unit: '×',
  },
  {
    key: 'client-first-2026/stdio',
    what: 'client, stdio, 2026-07-28, first connect and call with import',
    unit: '×',
  },
  { key: 'client-further/http', what: 'client, HTTP, 2025-11-25, further connect', unit: '×' },
  { key: 'client-further-2026/http', what: 'client, HTTP, 2026-07-28, further connect', unit: '×' },
  { key: 'client-further/stdio', what: 'client, stdio, 2025-11-25, further connect', unit: '×' },
  {
    key: 'client-further-2026/stdio',
    what: 'client, stdio, 2026-07-28, further connect',
    unit: '×',
  },
  { key: 'cli/tools', what: 'command line, start to printed tools', unit: '×', most: 1.3 },
  { key: 'cli/ended', what: 'command line, start to end', unit: '×' },
  {
    key: 'manager/parallel',
    what: '50 servers opened at once, beside the slowest',
    unit: '×',
    most: 1.5,
  },
  {
    key: 'bridge-http/1/cpu',
    what: 'bridge, HTTP in front of stdio, 2025-11-25, 1 in flight',
    unit: '×',
  },
  {
    key: 'bridge-http/16/cpu',
    what: 'bridge, HTTP in front of stdio, 2025-11-25, 16 in flight',
    unit: '×',
    most: 2,
  },
  {
    key: 'bridge-http/64/cpu',
    what: 'bridge, HTTP in front of stdio, 2025-11-25, 64 in flight',
    unit: '×',
    most: 2,
  },
  {
    key: 'bridge-http-2026/1/cpu',
    what: 'bridge, HTTP in front of stdio, 2026-07-28, 1 in flight',
    unit: '×',
  },
  {
    key: 'bridge-http-2026/16/cpu',
    what: 'bridge, HTTP in front of stdio, 2026-07-28, 16 in flight',
    unit: '×',
    most: 2,
  },
  {
    key: 'bridge-http-2026/64/cpu',
    what: 'bridge, HTTP in front of stdio, 2026-07-28, 64 in flight',
    unit: '×',
    most: 2,
  },
  {
    key: 'bridge-http/1/p50',
    what: 'bridge, HTTP in front of stdio, 2025-11-25, 1 in flight, p50',
    unit: 'ms',
  },
  {
    key: 'bridge-http/16/p50',
    what: 'bridge, HTTP in front of stdio, 2025-11-25, 16 in flight, p50',
    unit: 'ms',
  },
  {
    key: 'bridge-http/64/p50',
    what: 'bridge, HTTP in front of stdio, 2025-11-25, 64 in flight, p50',
    unit: 'ms',
  },
  {
    key: 'bridge-slow/http',
    what: 'bridge, HTTP in front of stdio, 20 calls of 200 ms at once',
    unit: 'ms',
    most: 230,
  },
  {
    key: 'bridge-stdio/1/cpu',
    what: 'bridge, stdio in front of HTTP, 2025-11-25, 1 in flight',
    unit: '×',
  },
  {
    key: 'bridge-stdio/16/cpu',
    what: 'bridge, stdio in front of HTTP, 2025-11-25, 16 in flight',
    unit: '×',
    most: 2,
  },
  {
    key: 'bridge-stdio/64/cpu',
    what: 'bridge, stdio in front of HTTP, 2025-11-25, 64 in flight',
    unit: '×',
    most: 2,
  },
  {
    key: 'bridge-stdio-2026/1/cpu',
    what: 'bridge, stdio in front of HTTP, 2026-07-28, 1 in flight',
    unit: '×',
  },
  {
    key: 'bridge-stdio-2026/16/cpu',
    what: 'bridge, stdio in front of HTTP, 2026-07-28, 16 in flight',
    unit: '×',
    most: 2,
  },
  {
    key: 'bridge-stdio-2026/64/cpu',
    what: 'bridge, stdio in front of HTTP, 2026-07-28, 64 in flight',
    unit: '×',
    most: 2,
  },
  {
    key: 'bridge-stdio/1/p50',
    what: 'bridge, stdio in front of HTTP, 2025-11-25, 1 in flight, p50',
    unit: 'ms',
  },
  {
    key: 'bridge-stdio/16/p50',
    what: 'bridge, stdio in front of HTTP, 2025-11-25, 16 in flight, p50',
    unit: 'ms',
  },
  {
    key: 'bridge-stdio/64/p50',
    what: 'bridge, stdio in front of HTTP, 2025-11-25, 64 in flight, p50',
    unit: 'ms',
  },
  {
    key: 'bridge-slow/stdio',
    what: 'bridge, stdio in front of HTTP, 20 calls of 200 ms at once',
    unit: 'ms',
    most: 230,
  },
  {
    key: 'gateway-hop/1/cpu',
    what: 'gateway, HTTP in front of stdio, 2025-11-25, 1 in flight',
    unit: '×',
  },
  {
    key: 'gateway-hop/16/cpu',
    what: 'gateway, HTTP in front of stdio, 2025-11-25, 16 in flight',
    unit: '×',
    most: 2.2,
  },
  {
    key: 'gateway-hop/64/cpu',
    what: 'gateway, HTTP in front of stdio, 2025-11-25, 64 in flight',
    unit: '×',
    most: 2.2,
  },
  {
    key: 'gateway-hop/added',
    what: 'gateway, HTTP in front of stdio, 2025-11-25, p50 beside a bare bridge',
    unit: 'ms',
    most: 0.5,
  },
  {
    key: 'gateway-hop-2026/1/cpu',
    what: 'gateway, HTTP in front of stdio, 2026-07-28, 1 in flight',
    unit: '×',
  },
  {
    key: 'gateway-hop-2026/16/cpu',
    what: 'gateway, HTTP in front of stdio, 2026-07-28, 16 in flight',
    unit: '×',
    most: 2.2,
  },
  {
    key: 'gateway-hop-2026/64/cpu',
    what: 'gateway, HTTP in front of stdio, 2026-07-28, 64 in flight',
    unit: '×',
    most: 2.2,
  },
  {
    key: 'gateway-hop-2026/added',
    what: 'gateway, HTTP in front of stdio, 2026-07-28, p50 beside a bare bridge',
    unit: 'ms',
    most: 0.5,
  },
  {
    key: 'gateway-list/16/cpu',
    what: 'gateway, tools/list of 1,000 tools of 50 servers, beside one server',
    unit: '×',
    most: 1.5,
  },
  ...['killed', 'stopped', 'slow', 'lying', 'changing'].map((trouble) => ({
    key: `gateway-troubled/${trouble}`,
    what: `gateway, p99 of a good server while another is ${trouble}, beside calm`,
    unit: '×',
    most: 2,
  })),
  {
    key: 'gateway-connect/legacy',
    what: 'gateway, connect, 10,000 tools, 2025-11-25',
    unit: 'ms',
    most: 50,
  },
  {
    key: 'gateway-connect/modern',
    what: 'gateway, connect, 10,000 tools, 2026-07-28',
    unit: 'ms',
    most: 50,
  },
  {
    key: 'gateway-cold',
    what: 'gateway, first list, 50 servers, one silent, deadline 1,000 ms',
    unit: 'ms',
    most: 1500,
  },
];

// what two measurements of the same thing may differ by
const tolerance = 0.03;

function placeOf(ours, best) {
  if (ours === undefined || best === undefined) return undefined;
  if (Math.abs(ours - best) <= tolerance * Math.abs(best)) return 'level';
  return ours < best ? 'ahead' : 'behind';
}

/** Judges what was measured: one entry for each row that was. */
export function judge(measures, candidates) {
  const byKey = new Map(measures.map((measure) => [measure.key, measure]));
  return rows.flatMap(({ key, ...row }) => {
    const measure = byKey.get(key);
    if (measure === undefined) return [];
    const { values, peers = candidates.filter(({ peer }) => peer) } = measure;
    const { ours, floor } = values;
    const ranked = peers
      .filter(({ name }) => Number.isFinite(values[name]))
      .sort((a, b) => values[a.name] - values[b.name]);
    const best = ranked[0];
    return {
      ...row,
      ours,
      floor,
      bestPeer: best && { label: best.label, value: values[best.name] },
      met: ours === undefined || row.most === undefined ? undefined : ours <= row.most,
      place: placeOf(ours, best && values[best.name]),
    };
  });
}
