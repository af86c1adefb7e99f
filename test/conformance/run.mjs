// Runs the scenarios of the official conformance suites against the fixture, against the fixture behind bridges and a gateway,
// and with the client of this folder, or against any server or with any client alone:
// npm run conformance -- [--url URL] [--command COMMAND] [--only REGEX]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { installPeers } from '../../scripts/peers.mjs';
import { main, prepare } from '../../scripts/prepare.mjs';
import { missOf, serveBridged, wires } from './bridged.mjs';
import { missOfPlace, places, serveGateway } from './gateway.mjs';
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
      const subject = subjects[scenario.way ?? scenario.side];
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

/** What may stand before the fixture: how a set is called then, and why a scenario cannot pass through it. */
const ways = [
  ...wires.map((way) => ({ way, called: `a bridge to ${way}`, miss: missOf })),
  ...places.map((way) => ({ way, called: way, miss: missOfPlace })),
];

/** Every scenario for a server once more for each of them. */
const throughOthers = (planned) =>
  ways.flatMap((one) =>
    planned
      .filter(({ side }) => side === 'server')
      .map((scenario) => ({
        ...scenario,
        ...one,
        set: `${scenario.set} through ${one.called}`,
      })),
  );

/** What cannot pass through a bridge or a gateway is none of its failures, and must be said no longer once it passes. */
function judgeMiss({ miss: find, ...result }) {
  const miss = find?.(result.way, result);
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
    const missed = results.filter((result) => result.miss === miss);
    const names = [...new Set(missed.map(({ name }) => name))].join(', ');
    console.log(`cannot pass through ${missed[0].called}: ${names}: ${miss}`);
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
  const gateway = await serveGateway();
  return {
    url: server.url,
    others: {
      ...Object.fromEntries(wires.map((wire, index) => [wire, bridges[index].url])),
      ...gateway.urls,
    },
    async close() {
      for (const bridge of bridges) await bridge.close();
      await gateway.close();
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
  const all = values.url === undefined ? [...planned, ...throughOthers(planned)] : planned;
  const scenarios = all.filter(({ set, name }) => only.test(`${set} ${name}`));
  if (scenarios.length === 0) throw new Error(`no scenario matches ${only}`);
  const server = await serve(sides, values.url);
  try {
    const subjects = {
      server: server.url,
      ...server.others,
      client: values.command ?? ownClient,
    };
    const results = await runAll(scenarios, subjects);
    report(results, left);
    return results.every(isPassed) ? 0 : 1;
  } finally {
    await server.close();
  }
});
