// The official conformance suites: which scenarios they have for a side, and how one of them ends.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { run } from '../../scripts/child.mjs';
import { node22, peersFolder } from '../../scripts/peers.mjs';

const suites = [
  { name: '0.1', revisions: ['2025-11-25'] },
  { name: '0.2', revisions: ['2025-11-25', '2026-07-28'], takesRevision: true },
];

const scenarioMs = 30_000;
/** What a suite needs to start, and to write its result when the client hangs. */
const suiteMs = 5000;
/** Added to every scenario: alone it does not show that the subject of the scenario was touched. */
const alwaysChecked = 'wire-schema-valid';
/** These measure time. */
const alone = new Set(['sse-retry']);

const loopback = pathToFileURL(path.join(import.meta.dirname, 'loopback.mjs')).href;

function runSuite(suite, args, limitMs = scenarioMs) {
  const entry = path.join(
    peersFolder,
    'node_modules',
    `conformance-${suite.name}`,
    'dist/index.js',
  );
  const options = { quiet: true, timeout: limitMs, killSignal: 'SIGKILL' };
  return run(node22(), ['--import', loopback, entry, ...args], options);
}

/** The suite skips these, whatever the server does. */
const skipped = new Set(['tasks-status-notifications']);

/** Lists the scenarios of a suite for a side, each with the revisions it belongs to. */
async function scenariosOf(suite, side) {
  const { output } = await runSuite(suite, ['list', `--${side}`]);
  const scenarios = [...output.matchAll(/^\s+- (\S+) \[(.*)\]$/gm)].map(([, name, tags]) => ({
    name,
    tags: tags.split(','),
  }));
  if (scenarios.length === 0) throw new Error(`suite ${suite.name} lists no scenario:\n${output}`);
  return scenarios;
}

/** The revisions a scenario is run in; for a client also what belongs to none of them. */
function revisionsOf(suite, side, { name, tags }) {
  const revisions = suite.revisions.filter((known) => tags.includes(known));
  if (revisions.length > 0) return revisions;
  // An extension is one of the newest revision, and the fixture has this one only.
  if (side === 'server') return suite.revisions.slice(-1);
  // Extensions of authorization belong to every revision, the others to the one that the suite chooses.
  const isAuthorization = name.startsWith('auth/') && tags.includes('extension');
  return isAuthorization ? suite.revisions : [undefined];
}

/**
 * Plans every scenario of every suite for the sides ("server", "client"): once for each revision it belongs to.
 * `left` says, by reason, which scenarios are not planned.
 */
export async function plan(sides) {
  const planned = [];
  const left = { 'skipped by the suite': new Set() };
  for (const side of sides) {
    for (const suite of suites) {
      for (const scenario of await scenariosOf(suite, side)) {
        const { name } = scenario;
        const revisions = revisionsOf(suite, side, scenario);
        if (skipped.has(name)) left['skipped by the suite'].add(name);
        else planned.push(...revisions.map((revision) => planOf({ side, suite, name, revision })));
      }
    }
  }
  return { planned, left };
}

function planOf(scenario) {
  const { side, suite, name, revision } = scenario;
  const set = `${side} ${suite.name}@${revision ?? 'other'}`;
  return { ...scenario, set, isAlone: alone.has(name) };
}

/** Says why a scenario did not pass, from its checks: a warning is a failure, and so is nothing to judge. */
function judge(checks) {
  const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
  if (bad.length > 0) {
    return bad.map(
      ({ id, errorMessage, details }) =>
        `${id}: ${errorMessage ?? details?.message ?? 'no reason given'}`,
    );
  }
  const touched = checks.some(({ id, status }) => status === 'SUCCESS' && id !== alwaysChecked);
  return touched ? [] : ['nothing was exercised'];
}

/** Says how a client ended that did not end well; most scenarios do not look at it. */
function judgeEnd(output) {
  const [end] = /^Client (exited with code|timed out after) .*/m.exec(output) ?? [];
  const [, complaint = ''] = /^Stderr:\n([^]*?)\n\n/m.exec(output) ?? [];
  return end === undefined ? [] : [`${end}: ${complaint}`];
}

const argsFor = {
  server: (url) => ['server', '--url', url],
  // A suite ends the shell of a client that hangs: with `exec` that is the client itself.
  client: (command, limitMs) => {
    const line = process.platform === 'win32' ? command : `exec ${command}`;
    const timeout = Math.max(limitMs - suiteMs, suiteMs);
    return ['client', '--command', line, '--timeout', String(timeout)];
  },
};

async function readChecks(folder) {
  const files = await readdir(folder, { recursive: true });
  const file = files.find((name) => path.basename(name) === 'checks.json');
  return file && JSON.parse(await readFile(path.join(folder, file), 'utf8'));
}

/**
 * Runs one scenario in a process of its own, in the time left, on a subject: the URL of a server or the command of a
 * client. Resolves to the reasons why it did not pass.
 */
export async function runScenario({ suite, side, name, revision }, subject, leftMs) {
  if (leftMs <= 0) return ['not run: out of time'];
  const limitMs = Math.min(scenarioMs, Math.ceil(leftMs));
  const folder = await mkdtemp(path.join(os.tmpdir(), 'mcp-kit-conformance-'));
  const started = performance.now();
  try {
    const args = [...argsFor[side](subject, limitMs), '--scenario', name, '-o', folder];
    // Forced, as extensions belong to no revision.
    if (suite.takesRevision && revision) args.push('--spec-version', revision, '--force');
    const { output } = await runSuite(suite, args, limitMs);
    if (performance.now() - started >= limitMs) return [`not done after ${limitMs} ms`];
    const checks = await readChecks(folder);
    if (checks === undefined) return [`no result: ${output.trim().split('\n').at(-1)}`];
    return [...judge(checks), ...judgeEnd(output)];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
