// Runs every server scenario of the official conformance suites against the fixture, or against any server:
// npm run conformance -- [--url URL] [--only REGEX]
import { parseArgs } from 'node:util';
import { installPeers } from '../../scripts/peers.mjs';
import { main, prepare } from '../../scripts/prepare.mjs';
import { plan, runScenario } from './suites.mjs';

const atOnce = 2;
/** Takes a minute where nothing else runs; a server that hangs must not take an hour. */
const limitMs = 8 * 60_000;

/** Runs the scenarios, a few at a time, and resolves to them with the reasons why they did not pass. */
async function runAll(scenarios, url) {
  const end = performance.now() + limitMs;
  const waiting = scenarios.values();
  const results = [];
  const worker = async () => {
    for (const scenario of waiting) {
      const reasons = await runScenario(scenario, url, end - performance.now());
      const result = { ...scenario, reasons };
      results.push(result);
      tell(result);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
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

function report(results, extensions) {
  console.log(`not implemented: ${extensions.join(', ')}`);
  for (const set of new Set(results.map((result) => result.set))) {
    console.log(`${set}: ${count(results.filter((result) => result.set === set))}`);
  }
  console.log(count(results));
}

/** Serves the fixture, or stands for a server that is there already. */
async function serve(url) {
  if (url !== undefined) return { url, close() {} };
  // Not before the library is built.
  const { serveFixture } = await import('./server.mjs');
  return serveFixture();
}

await main(async () => {
  const { values } = parseArgs({ options: { url: { type: 'string' }, only: { type: 'string' } } });
  const only = new RegExp(values.only ?? '');
  await prepare({ dev: false });
  await installPeers();
  const { planned, extensions } = await plan();
  const scenarios = planned.filter(({ set, name }) => only.test(`${set} ${name}`));
  if (scenarios.length === 0) throw new Error(`no scenario matches ${only}`);
  const server = await serve(values.url);
  try {
    const results = await runAll(scenarios, server.url);
    report(results, extensions);
    return results.every(isPassed) ? 0 : 1;
  } finally {
    await server.close();
  }
});
