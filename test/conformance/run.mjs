// Runs the scenarios of the official conformance suites against the fixture, against the fixture behind bridges, and with
// the client of this folder, or against any server or with any client alone:
// npm run conformance -- [--url URL] [--command COMMAND] [--only REGEX]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { installPeers } from '../../scripts/peers.mjs';
import { main, prepare } from '../../scripts/prepare.mjs';
import { missOf, serveBridged, wires } from './bridged.mjs';
import { plan, runScenario } from './suites.mjs';

const atOnce = 2;
/** Takes a few minutes where nothing else runs; what hangs must not take an hour. */
const limitMs = 20 * 60_000;

const ownClient = [process.execPath, path.join(import.meta.dirname, 'client.mjs')]
  .map((word) => JSON.stringify(word))
  .join(' ');

/** Runs the scenarios, a few at a time, and resolves to them with the reasons why they did not pass. */
async function runAll(scenarios, subjects) {
  const end = performance.now() + limitMs;
  const results = [];
  const work = async (waiting) => {
    for (const scenario of waiting) {
      const subject = subjects[scenario.wire ?? scenario.side];
      const reasons = await runScenario(scenario, subject, end - performance.now());
      const result = judgeMiss({ ...scenario, reasons });
      results.push(result);
      tell(result);
    }
  };
  await work(scenarios.filter(({ isAlone }) => isAlone));
  const others = scenarios.filter(({ isAlone }) => !isAlone).values();
  await Promise.all(Array.from({ length: atOnce }, () => work(others)));
  return results;
}

/** Every scenario for a server once more for each kind of bridge before it. */
const throughBridges = (planned) =>
  wires.flatMap((wire) =>
    planned
      .filter(({ side }) => side === 'server')
      .map((scenario) => ({
        ...scenario,
        wire,
        set: `${scenario.set} through a bridge to ${wire}`,
      })),
  );

/** What cannot pass through a bridge is none of its failures, and must be said no longer once it passes. */
function judgeMiss(result) {
  const miss = result.wire && missOf(result.wire, result);
  if (miss === undefined) return result;
  const passes = result.reasons.length === 0;
  return { ...result, miss, reasons: passes ? [`passes although it cannot: ${miss}`] : [] };
}

function tell({ set, name, reasons }) {
  if (reasons.length === 0) return;
  console.log(`FAIL ${set} ${name}`);
  for (const reason of reasons) console.log(`     ${reason.replaceAll(/\s+/g, ' ').slice(0, 400)}`);
}

const isPassed = ({ reasons }) => reasons.length === 0;

function count(results) {
  const missed = results.filter(({ miss, reasons }) => miss && reasons.length === 0).length;
  const passed = results.filter(isPassed).length;
  const beside = missed > 0 ? `, ${missed} cannot pass` : '';
  return `${passed - missed} passed, ${results.length - passed} failed${beside}`;
}

function report(results, left) {
  for (const [reason, names] of Object.entries(left)) {
    if (names.size > 0) console.log(`${reason}: ${[...names].join(', ')}`);
  }
  for (const miss of new Set(results.map((result) => result.miss).filter(Boolean))) {
    const names = results.filter((result) => result.miss === miss).map(({ name }) => name);
    console.log(`cannot pass through a bridge: ${[...new Set(names)].join(', ')}: ${miss}`);
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
  const server = await serveFixture();
  const bridges = await Promise.all(wires.map((wire) => serveBridged(wire, server.url)));
  return {
    url: server.url,
    bridged: Object.fromEntries(wires.map((wire, index) => [wire, bridges[index].url])),
    async close() {
      for (const bridge of bridges) await bridge.close();
      await server.close();
    },
  };
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
  const all = values.url === undefined ? [...planned, ...throughBridges(planned)] : planned;
  const scenarios = all.filter(({ set, name }) => only.test(`${set} ${name}`));
  if (scenarios.length === 0) throw new Error(`no scenario matches ${only}`);
  const server = await serve(sides, values.url);
  try {
    const subjects = {
      server: server.url,
      ...server.bridged,
      client: values.command ?? ownClient,
    };
    const results = await runAll(scenarios, subjects);
    report(results, left);
    return results.every(isPassed) ? 0 : 1;
  } finally {
    await server.close();
  }
});
