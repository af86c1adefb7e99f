// The official conformance suites: which server scenarios they have, and how one of them ends.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { run } from '../../scripts/child.mjs';
import { node22, peersFolder } from '../../scripts/peers.mjs';

const suites = [
  { name: '0.1', revisions: ['2025-11-25'] },
  { name: '0.2', revisions: ['2025-11-25', '2026-07-28'], takesRevision: true },
];

const scenarioMs = 30_000;
/** Added to every scenario: alone it does not show that the subject of the scenario was touched. */
const alwaysChecked = 'wire-schema-valid';

function runSuite(suite, args, limitMs = scenarioMs) {
  const entry = path.join(
    peersFolder,
    'node_modules',
    `conformance-${suite.name}`,
    'dist/index.js',
  );
  const options = { quiet: true, timeout: limitMs, killSignal: 'SIGKILL' };
  return run(node22(), [entry, ...args], options);
}

/** Lists the server scenarios of a suite, each with the revisions it belongs to. */
async function scenariosOf(suite) {
  const { output } = await runSuite(suite, ['list', '--server']);
  const scenarios = [...output.matchAll(/^\s+- (\S+) \[(.*)\]$/gm)].map(([, name, tags]) => ({
    name,
    tags: tags.split(','),
  }));
  if (scenarios.length === 0) throw new Error(`suite ${suite.name} lists no scenario:\n${output}`);
  return scenarios;
}

/** Plans every scenario of every suite: once for each revision it belongs to. Extensions belong to none. */
export async function plan() {
  const planned = [];
  const extensions = [];
  for (const suite of suites) {
    for (const { name, tags } of await scenariosOf(suite)) {
      if (tags.includes('extension')) extensions.push(name);
      for (const revision of suite.revisions.filter((known) => tags.includes(known))) {
        planned.push({ suite, name, revision, set: `${suite.name}@${revision}` });
      }
    }
  }
  return { planned, extensions };
}

/** Says why a scenario did not pass, from its checks: a warning is a failure, and so is nothing to judge. */
function judge(checks) {
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  if (bad.length > 0) {
    return bad.map(({ id, errorMessage }) => `${id}: ${errorMessage ?? 'no reason given'}`);
  }
  const touched = checks.some(({ id, status }) => status === 'SUCCESS' && id !== alwaysChecked);
  return touched ? [] : ['nothing was exercised'];
}

async function readChecks(folder) {
  const files = await readdir(folder, { recursive: true });
  const file = files.find((name) => path.basename(name) === 'checks.json');
  return file && JSON.parse(await readFile(path.join(folder, file), 'utf8'));
}

/** Runs one scenario in a process of its own, in the time left; resolves to the reasons why it did not pass. */
export async function runScenario({ suite, name, revision }, url, leftMs) {
  if (leftMs <= 0) return ['not run: out of time'];
  const limitMs = Math.min(scenarioMs, Math.ceil(leftMs));
  const folder = await mkdtemp(path.join(os.tmpdir(), 'mcp-kit-conformance-'));
  const started = performance.now();
  try {
    const args = ['server', '--url', url, '--scenario', name, '-o', folder];
    if (suite.takesRevision) args.push('--spec-version', revision);
    const { output } = await runSuite(suite, args, limitMs);
    if (performance.now() - started >= limitMs) return [`not done after ${limitMs} ms`];
    const checks = await readChecks(folder);
    return checks ? judge(checks) : [`no result: ${output.trim().split('\n').at(-1)}`];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
