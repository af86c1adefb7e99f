// Writes the reports of the Cocos pack into docs/reports, from a run of its tests and from measuring it: npm run report
import { mkdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../child.mjs';
import { main, prepare, root, say } from '../prepare.mjs';
import { requirementsPage, testsPage } from './pages.mjs';
import { judge, readRequirements } from './requirements.mjs';
import { countOf, runTests } from './test-run.mjs';

const usage = `usage: npm run report [-- options]
  --only WHAT   tests or performance, instead of both
  --quick       measures with few rounds
  --json        prints what the tests came to, as JSON`;

const folder = path.join(root, 'docs/reports');
const own = ['test/cocos', 'packages/cocos'];
const sizes = '1000,5000,20000';

function write(name, text) {
  writeFileSync(path.join(folder, name), text);
  say(`wrote docs/reports/${name}`);
}

/** Runs the tests of the pack and those that its requirements name; answers what they came to. */
async function reportTests() {
  const requirements = readRequirements();
  const named = requirements.flatMap(({ tests }) => Object.keys(tests));
  const others = named.filter((file) => !own.some((place) => file.startsWith(`${place}/`)));
  say('running the tests');
  const ran = await runTests([...own, ...new Set(others)]);
  const facts = {
    command: 'npm run report',
    node: process.versions.node,
    load: os.loadavg()[0] / os.cpus().length,
  };
  const judged = judge(requirements, ran);
  write('cocos-tests.md', testsPage(ran, facts));
  write('cocos-requirements.md', requirementsPage(judged, facts));
  return {
    ...countOf(ran.files.flatMap(({ tests }) => tests)),
    requirements: judged.length,
    unmet: judged.filter(({ isMet }) => !isMet).map(({ number }) => number),
  };
}

/** Measures; what it prints of itself goes into the report. */
async function reportPerformance({ quick }) {
  const out = path.join(folder, 'cocos-performance.md');
  const args = ['bench/cocos.mjs', '--nodes', sizes, '--out', out, ...(quick ? ['--quick'] : [])];
  const { code } = await run(process.execPath, args, {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (code !== 0) throw new Error('measuring failed');
}

await main(async () => {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { only } = values;
  if (values.help || !['tests', 'performance', undefined].includes(only)) {
    console.log(usage);
    return values.help ? 0 : 2;
  }
  await prepare({ dev: true });
  mkdirSync(folder, { recursive: true });
  const tests = only === 'performance' ? undefined : await reportTests();
  if (only !== 'tests') await reportPerformance(values);
  if (values.json) console.log(JSON.stringify(tests ?? {}, undefined, 2));
  return tests === undefined || (tests.failed === 0 && tests.unmet.length === 0) ? 0 : 1;
});
