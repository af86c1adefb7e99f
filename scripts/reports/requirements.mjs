// What is asked of the Cocos pack, with the tests that hold it and what became of them in a run.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { root } from '../prepare.mjs';
import { countOf } from './test-run.mjs';

const list = path.join(root, 'test/cocos/requirements/requirements.json');

/** Everything that is asked for: its number, what it is, and its tests by file. */
export const readRequirements = () => JSON.parse(readFileSync(list, 'utf8'));

/** What stands for a value in the name of a test that is run for several. */
const placeholders = /%[sdifjoO]|\\\$\\\{[^}]*\\\}|\\\$[\w.]+/g;

/** Finds the tests of a run by the name that the source gives to them. */
function matcherOf(name) {
  const escaped = name.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`^${escaped.replaceAll(placeholders, '.*')}$`, 's');
  return (test) => pattern.test(test.name);
}

/** The requirements, each with the tests of the run that hold it, and whether they all do. */
export function judge(requirements, { files }) {
  const testsOf = new Map(files.map(({ file, tests }) => [file, tests]));
  return requirements.map(({ number, what, tests }) => {
    const named = Object.entries(tests).flatMap(([file, names]) =>
      names.map((name) => ({
        file,
        name,
        ...countOf((testsOf.get(file) ?? []).filter(matcherOf(name))),
      })),
    );
    const isMet = named.every(({ passed, failed }) => passed > 0 && failed === 0);
    return { number, what, tests: named, isMet };
  });
}
