// Runs the scenarios of the official conformance suites against the fixture and with the client of this folder, or
// against any server or with any client alone:
// npm run conformance -- [--url URL] [--command COMMAND] [--only REGEX]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { installPeers } from '../../scripts/peers.mjs';
import { main, prepare } from '../../scripts/prepare.mjs';
import { plan, runScenario } from './suites.mjs';

const atOnce = 2;
/** Takes a minute or two where nothing else runs; what hangs must not take an hour. */
const limitMs = 10 * 60_000;

const ownClient = [process.execPath, path.join(import.meta.dirname, 'client.mjs')]
  .map((word) => JSON.stringify(word))
  .join(' ');

/** Runs the scenarios, a few at a time, and resolves to them with the reasons why they did not pass. */
async function runAll(scenarios, subjects) {
  const end = performance.now() + limitMs;
  const results = [];
  const work = async (waiting) => {
    for (const scenario of waiting) {
      const subject = subjects[scenario.side];
      const reasons = await runScenario(scenario, subject, end - performance.now());
      const result = { ...scenario, reasons };
      results.push(result);
      tell(result);
    }
  };
  await work(scenarios.filter(({ isAlone }) => isAlone));
  const others = scenarios.filter(({ isAlone }) => !isAlone).values();
  await Promise.all(Array.from({ length: atOnce }, () => work(others)));
  return results;
}

function tell({ set, name, reasons }) {
  if (reasons.length === 0) return;
  console.log(`FAIL ${set} ${name}`);
  for (const reason of reasons) console.log(`     ${reason.replaceAll(/\s+/g, ' ').slice(0, 400)}`);
}

const isPassed = ({ reasons }) => reasons.length === 0;

function count(results) {
  const passed = results.filter(isPassed).length;
  return `${passed} passed, ${results.length - passed} failed`;
}

function report(results, left) {
  for (const [reason, names] of Object.entries(left)) {
    if (names.size > 0) console.log(`${reason}: ${[...names].join(', ')}`);
  }
  for (const set of [...new Set(results.map((result) => result.set))].sort()) {
    console.log(`${set}: ${count(results.filter((result) => result.set === set))}`);
  }
  console.log(count(results));
}

/** Serves the fixture where a server is wanted and there is none already. */
async function serve(sides, url) {
  if (url !== undefined || !sides.includes('server')) return { url, close() {} };
  // Not before the library is built.
  const { serveFixture } = await import('./server.mjs');
  return serveFixture();
}

function sidesOf({ url, command }) {
  if (url === undefined && command === undefined) return ['server', 'client'];
  return [...(url === undefined ? [] : ['server']), ...(command === undefined ? [] : ['client'])];
}

await main(async () => {
  const { values } = parseArgs({
    options: { url: { type: 'string' }, command: { type: 'string' }, only: { type: 'string' } },
  });
  const only = new RegExp(values.only ?? '');
  await prepare({ dev: false });
  await installPeers();
  const sides = sidesOf(values);
  const { planned, left } = await plan(sides);
  const scenarios = planned.filter(({ set, name }) => only.test(`${set} ${name}`));
  if (scenarios.length === 0) throw new Error(`no scenario matches ${only}`);
  const server = await serve(sides, values.url);
  try {
    const subjects = { server: server.url, client: values.command ?? ownClient };
    const results = await runAll(scenarios, subjects);
    report(results, left);
    return results.every(isPassed) ? 0 : 1;
  } finally {
    await server.close();
  }
});
