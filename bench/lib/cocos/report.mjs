// What was measured of the Cocos pack, as a page.
import { format, table } from '../table.mjs';

const multiple = (value) => `${format(value)} ×`;
const count = (value) => value.toLocaleString('en-US');

/** What each kind of work takes at each size, as multiples of the bare loop. */
function ratioTable(sizes) {
  const head = ['nodes', 'scene MiB', 'bare loop ms', 'write', 'read', 'workflow', 'first open'];
  const rows = sizes.map(({ nodes, sceneMiB, bare, kinds, open }) => [
    count(nodes),
    sceneMiB,
    bare.p50,
    ...[kinds.write, kinds.read, kinds.workflow, open].map(({ times }) => multiple(times)),
  ]);
  return table(head, rows);
}

/** The same in CPU time of all threads, which other work on the machine changes less. */
function cpuTable(sizes) {
  const head = ['nodes', 'bare loop ms', 'write', 'read', 'workflow', 'first open'];
  const rows = sizes.map(({ nodes, bare, kinds, open }) => [
    count(nodes),
    bare.cpu,
    ...[kinds.write, kinds.read, kinds.workflow, open].map(({ cpuTimes }) => multiple(cpuTimes)),
  ]);
  return table(head, rows);
}

function slowestTable(sizes) {
  const head = ['nodes', 'slowest write', '', 'slowest read', '', 'slowest workflow', ''];
  const rows = sizes.map(({ nodes, kinds }) => [
    count(nodes),
    ...['write', 'read', 'workflow'].flatMap((kind) => {
      const { tool, times } = kinds[kind].slowest;
      return [`\`${tool}\``, multiple(times)];
    }),
  ]);
  return table(head, rows);
}

/** What is live, which is what the pack keeps. */
function liveTable(sizes) {
  const head = ['nodes', 'scene MiB', 'idle, MiB', 'opened, MiB', '', 'after all calls, MiB', ''];
  const rows = sizes.map(({ nodes, sceneMiB, memory: { idle, opened, after, times } }) => [
    count(nodes),
    sceneMiB,
    idle.live,
    opened.live,
    multiple(times.opened),
    after.live,
    multiple(times.live),
  ]);
  return table(head, rows);
}

/** What the process has of the machine, garbage and free space of V8 included. */
function rssTable(sizes) {
  const head = ['nodes', 'idle, MiB', 'after all calls, MiB', '', 'peak, MiB', '', 'collected', ''];
  const rows = sizes.map(({ nodes, memory: { idle, after, rss, peak, times } }) => [
    count(nodes),
    idle.rss,
    rss,
    multiple(times.rss),
    peak,
    multiple(times.peak),
    after.rss,
    multiple(times.collected),
  ]);
  return table(head, rows);
}

/** What the same calls cost with a small heap. */
function limitedTable(sizes) {
  const head = ['nodes', 'heap, MiB', 'write', 'read', 'workflow', 'RSS after all calls, MiB'];
  const rows = sizes.map(({ nodes, memory: { limited } }) => [
    count(nodes),
    limited.heapMiB,
    ...['write', 'read', 'workflow'].map((kind) => multiple(limited.kinds[kind].times)),
    limited.rss,
  ]);
  return table(head, rows);
}

/** How much more the largest scene takes than the smallest. */
function growthTable(sizes) {
  const values = {
    nodes: ({ nodes }) => nodes,
    'scene, MiB': ({ sceneMiB }) => sceneMiB,
    'bare loop, ms': ({ bare }) => bare.p50,
    'write, ms': ({ kinds }) => kinds.write.p50,
    'read, ms': ({ kinds }) => kinds.read.p50,
    'workflow, ms': ({ kinds }) => kinds.workflow.p50,
    'first open, ms': ({ open }) => open.p50,
    'live after all calls, MiB': ({ memory }) => memory.after.live,
    'RSS after all calls, MiB': ({ memory }) => memory.rss,
    'peak RSS, MiB': ({ memory }) => memory.peak,
  };
  const head = ['what', ...sizes.map(({ nodes }) => `${count(nodes)} nodes`), 'growth'];
  const rows = Object.entries(values).map(([name, valueOf]) => {
    const all = sizes.map(valueOf);
    return [name, ...all, multiple(all.at(-1) / all[0])];
  });
  return table(head, rows);
}

function toolTable({ tools }) {
  const head = ['tool', 'kind', 'first', 'p50', 'p95', 'CPU', '× bare', '× CPU', 'target', 'met'];
  const rows = tools.map(({ tool, kind, first, p50, p95, cpu, times, cpuTimes, target, isMet }) => [
    `\`${tool}\``,
    kind,
    first,
    p50,
    p95,
    cpu,
    multiple(times),
    multiple(cpuTimes),
    `≤ ${target}`,
    isMet ? 'yes' : 'NO',
  ]);
  return table(head, rows);
}

const missed = ({ tools }) => tools.filter(({ isMet }) => !isMet).length;

const sizeSection = (size) => `### ${count(size.nodes)} nodes

Targets met: ${size.tools.length - missed(size)} of ${size.tools.length}.

${toolTable(size)}
`;

const growthSection = (sizes) => `## Growth

From ${count(sizes[0].nodes)} to ${count(sizes.at(-1).nodes)} nodes; times at the median.

${growthTable(sizes)}
`;

/** The page about sizes that were measured in one run. */
export function pageOf({ command, rounds, node, load, sizes }) {
  return `# Speed of the Cocos tools

Written by \`${command}\` with Node ${node}, at a load of ${load.toFixed(1)} for each core at the end.

Times are milliseconds from the request of a client to the answer, over HTTP; every write is on the disk, verified, when it
answers. Each tool was called ${rounds} times after the first, in a project of ${count(sizes[0].assets)} assets. CPU is what the server used of all its
threads, at the median; times grow with other work on the machine, this does not.

## Beside the bare loop

The bare loop is what no write of the same scene can do without: \`JSON.parse\`, \`JSON.stringify\`, a write and \`fsync\`. It ran between
the calls of the same run, so that what slows one slows the other. Of each kind the median of its tools, at their medians; first
open is the first look at the scene of a fresh server that has told what the project is, the median of some.

${ratioTable(sizes)}

${slowestTable(sizes)}

In CPU time of all threads, garbage collection included:

${cpuTable(sizes)}

## Memory

Multiples are of the file of the scene, and of what is beyond an idle server: one that has answered a call about an empty scene of
the same project. Live is heap and buffers after garbage was collected: what the pack keeps.

${liveTable(sizes)}

That is the memory that is meant where six times the file is promised. RSS is what the process has of the machine: also garbage that
V8 has not collected, and space that it keeps for what comes. "Collected" is right after a collection that was asked for.

${rssTable(sizes)}

How large V8 lets the heap become is its own choice, by what it may have. With a heap of no more than an idle server's and six times
the file (\`--max-old-space-size\`) the same calls are all made, at this multiple of the bare loop:

${limitedTable(sizes)}

${sizes.length > 1 ? `${growthSection(sizes)}\n` : ''}## Tool by tool

Targets are for the 95th percentile.

${sizes.map(sizeSection).join('\n')}`;
}

/** Whether every target was met at every size. */
export const allMet = (sizes) => sizes.every((size) => missed(size) === 0);
