// One run of tests, as vitest tells it to programs.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../prepare.mjs';
import { runVitest } from '../tests/vitest.mjs';

/** What a test came to, in three words. */
const outcomes = { passed: 'passed', failed: 'failed' };

/** The first line of a failure, without the places of this machine. */
const reasonOf = ({ failureMessages: [message = ''] }) =>
  message.replaceAll(`${root}${path.sep}`, '').replaceAll(os.tmpdir(), '…').split('\n', 1)[0];

const testOf = (told) => ({
  name: [...told.ancestorTitles.filter(Boolean), told.title].join(' > '),
  outcome: outcomes[told.status] ?? 'skipped',
  ...(told.status === 'failed' ? { reason: reasonOf(told) } : {}),
});

function fileOf({ name, startTime, endTime, status, message, assertionResults }) {
  const tests = assertionResults.map(testOf);
  // A file that cannot be loaded has no tests, and is a failure all the same.
  if (status === 'failed' && tests.every(({ outcome }) => outcome !== 'failed')) {
    const reason = reasonOf({ failureMessages: [message] });
    tests.push({ name: 'the file is loaded', outcome: 'failed', reason });
  }
  return { file: path.relative(root, name), seconds: (endTime - startTime) / 1000, tests };
}

/** Runs the tests of these places; answers what became of each, by file. */
export async function runTests(places) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'test-run-'));
  const output = path.join(folder, 'run.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${output}`];
    await runVitest([...places, ...reporters], {
      // What people watch goes where progress goes.
      stdio: ['ignore', 2, 'inherit'],
      // Everything is tried, and not a part that stands for it.
      env: { CI: 'true' },
    });
    const { startTime, testResults } = JSON.parse(readFileSync(output, 'utf8'));
    const files = testResults
      .map(fileOf)
      .toSorted((one, other) => (one.file < other.file ? -1 : 1));
    const ended = Math.max(...testResults.map(({ endTime }) => endTime));
    return { seconds: (ended - startTime) / 1000, files };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How many tests came to what. */
export function countOf(tests) {
  const count = { passed: 0, failed: 0, skipped: 0 };
  for (const { outcome } of tests) count[outcome] += 1;
  return count;
}
