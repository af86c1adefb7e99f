// Says which functions were running while the event loop stood still.
import { Session } from 'node:inspector';

/** Starts to sample; the function that it gives tells where the time since its last call went. */
export function startBlame() {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 1000 });
  session.post('Profiler.start');
  let last = process.hrtime.bigint() / 1000n;
  return (blocked) => {
    const since = last;
    last = process.hrtime.bigint() / 1000n;
    // Samples pile up unless they are taken now and then.
    if (!blocked && turnsLeft-- > 0) return undefined;
    turnsLeft = 1000;
    let told;
    session.post('Profiler.stop', (_, { profile }) => {
      if (blocked) told = stackOf(profile, Number(since));
    });
    session.post('Profiler.start');
    return told;
  };
}

let turnsLeft = 1000;

/** The stack that was seen most often since then, innermost first. */
function stackOf({ nodes, samples, timeDeltas, startTime }, since) {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  const counts = new Map();
  let time = startTime;
  for (const [at, id] of samples.entries()) {
    time += timeDeltas[at];
    if (time < since) continue;
    const frames = [];
    for (let next = id; next !== undefined && frames.length < 12; next = parents.get(next)) {
      const { functionName, url, lineNumber } = byId.get(next).callFrame;
      frames.push(`${functionName || '?'} ${url.split('/').at(-1)}:${lineNumber}`);
    }
    const key = frames.join(' < ');
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const sorted = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 4);
  return sorted.map(([key, count]) => `${count}x ${key}`).join('\n');
}
