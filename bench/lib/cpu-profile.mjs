// Reads a .cpuprofile: self time by function and by group.
import { readFileSync } from 'node:fs';

const nodeParts = [
  [/^node:internal\/deps\/undici/, 'node: fetch classes'],
  [/^node:internal\/webstreams/, 'node: web streams'],
  [/^node:(_http|internal\/http|http)/, 'node: http'],
  [
    /^node:(net|_stream|stream|internal\/streams?_?|internal\/child_process)/,
    'node: sockets, streams',
  ],
  [
    /^node:(internal\/abort_controller|internal\/event_target)/,
    'node: AbortController, EventTarget',
  ],
  [/^node:(internal\/timers|timers)/, 'node: timers'],
  [
    /^node:(internal\/process|internal\/async_hooks|async_hooks|internal\/promise)/,
    'node: ticks, promises',
  ],
  [/^node:(buffer|internal\/buffer|string_decoder|internal\/encoding)/, 'node: buffers, encodings'],
  [/^node:events/, 'node: events'],
  [
    /^node:(internal\/modules|internal\/main|internal\/bootstrap|vm|internal\/vm)/,
    'node: loading modules',
  ],
  [/^node:/, 'node: other'],
];

// The file behind a URL, short enough to read: from the package's dist folder, or from the innermost node_modules.
function fileOf(url) {
  const parts = url.split(/\/dist\/|\/node_modules\//);
  return parts.length > 1 ? parts.at(-1) : url.slice(url.lastIndexOf('/') + 1);
}

function groupOf({ functionName, url }) {
  if (functionName === '(garbage collector)') return 'gc';
  if (functionName === '(program)') return 'native code, kernel';
  if (functionName === '(idle)' || functionName === '(root)') return undefined;
  if (url === '') {
    return /^(write|shutdown)/.test(functionName) ? 'native: writes' : 'native: other bindings';
  }
  for (const [pattern, name] of nodeParts) if (pattern.test(url)) return name;
  if (url.includes('/bench/')) return 'benchmark';
  if (url.includes('/node_modules/')) {
    const [scope, name] = url.slice(url.lastIndexOf('/node_modules/') + 14).split('/');
    return scope.startsWith('@') ? `${scope}/${name}` : scope;
  }
  return `ours: ${fileOf(url)}`;
}

/** Where the busy time of the second half of a profile went: shares by group and by function, greatest first. */
export function summarise(file) {
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8'));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const groups = new Map();
  const functions = new Map();
  const add = (map, key, time) => map.set(key, (map.get(key) ?? 0) + time);
  let busy = 0;
  // the first half is start-up and warm-up
  for (let i = Math.floor(samples.length / 2); i < samples.length; i++) {
    const frame = frames.get(samples[i]);
    const group = groupOf(frame);
    if (group === undefined) continue;
    const { functionName, url, lineNumber } = frame;
    const place = url === '' ? '' : ` ${fileOf(url)}:${lineNumber + 1}`;
    busy += timeDeltas[i];
    add(groups, group, timeDeltas[i]);
    add(functions, `${functionName || '(anonymous)'}${place}`, timeDeltas[i]);
  }
  const shares = (map) =>
    [...map]
      .map(([name, time]) => ({ name, share: time / busy }))
      .sort((a, b) => b.share - a.share);
  return { groups: shares(groups), functions: shares(functions) };
}
