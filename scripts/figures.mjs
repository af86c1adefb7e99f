// Prints the figures by which the size and the shape of the code are judged: npm run figures [-- --json]
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { main, root } from './prepare.mjs';

const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
const textOf = (file) => readFileSync(path.join(root, file), 'utf8');
const linesOf = (file) => textOf(file).trimEnd().split('\n');
const isTest = (file) => file.endsWith('.test.ts') || /^(test|bench)\//.test(file);
const under = (...folders) =>
  tracked.filter((file) => folders.some((folder) => file.startsWith(folder)));

const library = under('packages/mcp-kit/src/', 'packages/host/src/').filter(
  (file) => file.endsWith('.ts') && !isTest(file),
);
const production = under('packages/').filter(
  (file) => /\/src\/.*\.ts$/.test(file) && !isTest(file),
);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const most = (entries) => entries.reduce((one, other) => (other[1] > one[1] ? other : one));

/** Lines that are neither empty nor a comment. */
const codeLines = (file) =>
  linesOf(file).filter((line) => !/^\s*(?:\/\/.*|\/?\*.*)?$/.test(line)).length;

/** The lines of each layer: a folder of `src`, or what stands there itself. */
function linesByLayer() {
  const layers = {};
  for (const file of library) {
    const layer = /^packages\/([^/]+\/)src\/(?:([^/]+)\/)?/.exec(file).slice(1).join('');
    const { lines, code } = (layers[layer] ??= { lines: 0, code: 0 });
    layers[layer] = { lines: lines + linesOf(file).length, code: code + codeLines(file) };
  }
  return layers;
}

/** Names that reports of the public interface list, each once however many entries have it. */
function exportedNames(isOurs) {
  const reports = under('etc/').filter((file) => isOurs(path.basename(file)));
  const declared = /^export (?:abstract |declare )*(?:class|const|function|interface|type) (\w+)/gm;
  const names = reports.flatMap((file) =>
    [...textOf(file).matchAll(declared)].map(([, name]) => name),
  );
  return new Set(names).size;
}

/** Modules that compare eras, choose by one from a table, or ask whether a message claims one; not where that is defined. */
const asksTheEra =
  /\bera [!=]== |[!=]== '(?:legacy|modern)'|(?<!function )\bclaimsModern\(|\[[^\]]*\bera\]/;

/** `...(a && b)` and `...(a ? b : c)`; a value in place of none (`??`) is no condition. */
const conditionalSpread = /\.\.\.\((?:[^()]|\([^()]*\))*?(?:&&|(?<!\?)\?[^?.])/g;

/** How many production or test files stand in each folder. */
function filesByFolder() {
  const folders = new Map();
  for (const file of under('packages/').filter((name) => /\/src\/.*\.ts$/.test(name))) {
    const folder = path.dirname(file);
    folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  return [...folders];
}

const windowLines = 6;

/** The lines that say something: no imports, no comments, no lone punctuation. */
const sayingLines = (file) =>
  textOf(file)
    .replaceAll(/^(?:import|export) (?:type )?\{[^}]*\} from .*$/gm, '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /\w/.test(line) && !/^(?:\/\/|\/?\*|import )/.test(line));

/** Pairs of files that share six lines or more to the letter. */
function duplicatedPairs(files) {
  const places = new Map();
  for (const file of files) {
    const lines = sayingLines(file);
    for (let at = 0; at + windowLines <= lines.length; at += 1) {
      const text = lines.slice(at, at + windowLines).join('\n');
      places.set(text, [...(places.get(text) ?? []), file]);
    }
  }
  const pairs = new Set();
  for (const [first, ...others] of places.values()) {
    for (const other of others) pairs.add(`${first} ~ ${other}`);
  }
  return [...pairs];
}

await main(() => {
  const [largestFile, fileLines] = most(production.map((file) => [file, linesOf(file).length]));
  const [largestFolder, folderFiles] = most(filesByFolder());
  const spreads = production.map((file) => [...textOf(file).matchAll(conditionalSpread)].length);
  const code = tracked.filter((file) => /\.(?:ts|mjs)$/.test(file));
  const figures = {
    'lines of the library': sum(library.map((file) => linesOf(file).length)),
    'of these neither empty nor comment': sum(library.map(codeLines)),
    'exported names of the library': exportedNames((name) => !name.startsWith('cocos')),
    'exported names of the Cocos pack': exportedNames((name) => name.startsWith('cocos')),
    'modules that ask the era': library.filter((file) => asksTheEra.test(textOf(file))).length,
    'conditional spreads': sum(spreads),
    'lines of build scripts': sum(
      ['scripts/bundle.mjs', 'scripts/licenses.mjs'].map((file) => linesOf(file).length),
    ),
    'files in the largest folder': `${folderFiles} (${largestFolder})`,
    'lines of the largest file': `${fileLines} (${largestFile})`,
    'files of the bridge': under('packages/mcp-kit/src/bridge/').filter((file) =>
      file.endsWith('.ts'),
    ).length,
    'pairs of files that share six lines': duplicatedPairs(code).length,
  };
  const layers = linesByLayer();
  if (process.argv.includes('--json')) {
    console.log(JSON.stringify({ ...figures, 'lines by layer': layers }, undefined, 2));
    return;
  }
  for (const [name, value] of Object.entries(figures)) console.log(`${name}: ${value}`);
  console.log('\nlines, and those neither empty nor comment, by layer:');
  for (const [name, layer] of Object.entries(layers)) {
    const numbers = [layer.lines, layer.code].map((number) => String(number).padStart(7));
    console.log(name.padEnd(20) + numbers.join(''));
  }
});
