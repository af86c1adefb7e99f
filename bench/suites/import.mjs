// What loading costs, in a fresh process: the main entry of the server, and all that a server of each kind imports.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { failureLines, interleave } from '../lib/rounds.mjs';
import { least, median } from '../lib/stats.mjs';

const here = fileURLToPath(new URL('../candidates/', import.meta.url));
const kinds = [
  {
    key: 'entry',
    title: 'import of the server entry',
    specifiers: ({ entry }) => (entry ? [entry] : undefined),
  },
  {
    key: 'http',
    title: 'import of all that an HTTP server needs',
    specifiers: ({ http }) => http?.imports,
  },
  {
    key: 'stdio',
    title: 'import of all that a stdio server needs',
    specifiers: ({ stdio }) => stdio?.imports,
  },
];

const script = (specifiers) => `
  const memory = process.memoryUsage(), cpu = process.cpuUsage(), started = performance.now();
  for (const specifier of ${JSON.stringify(specifiers)}) await import(specifier);
  const ms = performance.now() - started, used = process.cpuUsage(cpu), after = process.memoryUsage();
  console.log(JSON.stringify({
    ms, cpu: (used.user + used.system) / 1000, heap: (after.heapUsed - memory.heapUsed) / 2 ** 20,
  }));
`;

async function measure({ specifiers }) {
  const args = ['--input-type=module', '-e', script(specifiers)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: here });
  const result = JSON.parse(stdout);
  return { ...result, summary: `${result.ms.toFixed(1)} ms` };
}

async function runKind({ key, title, specifiers }, { candidates, options, log }) {
  const cases = candidates
    .map((candidate) => ({ candidate, specifiers: specifiers(candidate), label: candidate.label }))
    .filter((c) => c.specifiers);
  const { results, failed } = await interleave(cases, options.quick ? 1 : 8, measure, log);
  const values = {};
  const rows = [...results].map(([c, runs]) => {
    if (runs.length > 0) values[c.candidate.name] = least(runs, 'ms');
    return [
      c.label,
      least(runs, 'ms'),
      median(runs.map((run) => run.ms)),
      least(runs, 'cpu'),
      median(runs.map((run) => run.heap)),
      c.specifiers.join(' '),
    ];
  });
  const table = {
    title,
    header: ['candidate', 'ms best', 'ms median', 'CPU ms', 'heap MiB', 'imports'],
    rows,
  };
  const raw = [...results].map(([c, runs]) => ({ workload: title, candidate: c.label, runs }));
  const measures = [{ key: `import/${key}`, values }];
  return { tables: [table], measures, failures: failureLines(title, failed), raw };
}

/** Runs the suite. */
export async function run(bench) {
  const reports = [];
  for (const kind of kinds) reports.push(await runKind(kind, bench));
  return reports;
}
