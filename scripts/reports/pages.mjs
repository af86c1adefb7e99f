// The reports of a run of tests, as pages.
import { table } from '../../bench/lib/table.mjs';
import { countOf } from './test-run.mjs';

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');
const number = (value) => value.toLocaleString('en-US');
const told = ({ passed, failed, skipped }) =>
  [
    `${number(passed)} passed`,
    ...(failed > 0 ? [`${number(failed)} failed`] : []),
    ...(skipped > 0 ? [`${number(skipped)} skipped`] : []),
  ].join(', ');

/** By what and how a page was written. */
const byWhat = ({ command, node, load }) =>
  `Written by \`${command}\` with Node ${node}, at a load of ${load.toFixed(1)} for each core at the end.`;

/** Every file with its tests, and every failure. */
export function testsPage(run, facts) {
  const all = run.files.flatMap(({ tests }) => tests);
  const rows = run.files.map(({ file, seconds, tests }) => {
    const { passed, failed, skipped } = countOf(tests);
    return [`\`${file}\``, ...[tests.length, passed, failed, skipped].map(number), seconds];
  });
  const failures = run.files.flatMap(({ file, tests }) =>
    tests
      .filter(({ outcome }) => outcome === 'failed')
      .map(({ name, reason }) => `- \`${file}\`: ${name}: ${reason}`),
  );
  return `# Tests of the Cocos pack

${byWhat(facts)}

${number(all.length)} tests in ${run.files.length} files: ${told(countOf(all))}, in ${Math.round(run.seconds)} s. They are the pack's own, and those
that hold what is [asked of it](cocos-requirements.md). Tests are skipped that need real projects, which are not part of the repository, or a
right that the process does not have.

## Files

${table(['file', 'tests', 'passed', 'failed', 'skipped', 'seconds'], rows)}

## Failures

${failures.length === 0 ? 'None.' : failures.join('\n')}
`;
}

/** Every requirement with its tests. */
export function requirementsPage(judged, facts) {
  const rows = judged.map(({ number: at, what, tests, isMet }) => {
    const names = tests.map(({ file, name, ...count }) => {
      const came = count.passed + count.failed + count.skipped === 0 ? 'not run' : told(count);
      return `\`${file}\`: ${cell(name)} (${came})`;
    });
    return `| ${at} | ${cell(what)} | ${names.join('<br>')} | ${isMet ? 'yes' : '**no**'} |`;
  });
  const met = judged.filter(({ isMet }) => isMet).length;
  return `# What is asked of the Cocos pack

${byWhat(facts)}

${met} of ${judged.length} requirements are held by tests that passed. Numbers are the chapters and items of the specification for Cocos servers,
version 2.0; the words are ours. A requirement is met where each of its tests passed, at least once and whatever it was run for.

| number | what | tests | met |
|---|---|---|---|
${rows.join('\n')}
`;
}
