// Writes etc/<entry>.api.md, the report of every public entry of the libraries; with --check it only compares.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { main, prepare, root, say } from './prepare.mjs';

/** The libraries, each with the name of the report of its root and what the names of the others begin with. */
const libraries = [
  { packageFolder: path.join(root, 'packages/mcp-kit'), rootName: 'mcp-kit', prefix: '' },
  {
    packageFolder: path.join(root, 'packages/store-file'),
    rootName: 'store-file',
    prefix: 'store-file-',
  },
  {
    packageFolder: path.join(root, 'packages/store-redis'),
    rootName: 'store-redis',
    prefix: 'store-redis-',
  },
  {
    packageFolder: path.join(root, 'packages/console'),
    rootName: 'console',
    prefix: 'console-',
  },
  { packageFolder: path.join(root, 'packages/host'), rootName: 'host', prefix: 'host-' },
  { packageFolder: path.join(root, 'packages/cocos'), rootName: 'cocos', prefix: 'cocos-' },
];
const reportFolder = path.join(root, 'etc');

// Without the source condition: the report is about what is published.
const compilerOptions = {
  target: 'ES2023',
  lib: ['ES2023', 'ESNext.Disposable'],
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
};

const silent = { logLevel: 'none' };
const messages = {
  compilerMessageReporting: { default: { logLevel: 'error' } },
  extractorMessageReporting: {
    default: { logLevel: 'warning', addToApiReportFile: true },
    'ae-forgotten-export': { logLevel: 'warning' },
    'ae-missing-release-tag': silent,
    'ae-undocumented': silent,
    'ae-unresolved-link': silent,
  },
  tsdocMessageReporting: { default: silent },
};

/** Lists the public entries of a library as { name, types, packageFolder }: `internal`, and what has no types, is not public. */
function publicEntries({ packageFolder, rootName, prefix }) {
  const manifest = fs.readFileSync(path.join(packageFolder, 'package.json'), 'utf8');
  return Object.entries(JSON.parse(manifest).exports)
    .filter(([entry, { types }]) => types !== undefined && entry !== './internal')
    .map(([entry, target]) => ({
      name: entry === '.' ? rootName : prefix + entry.slice(2).replaceAll('/', '-'),
      types: path.join(packageFolder, target.types),
      packageFolder,
    }));
}

function configOf({ ExtractorConfig }, { name, types, packageFolder }, folder) {
  return ExtractorConfig.prepare({
    configObjectFullPath: path.join(packageFolder, 'api-extractor.json'),
    packageJsonFullPath: path.join(packageFolder, 'package.json'),
    configObject: {
      projectFolder: packageFolder,
      mainEntryPointFilePath: types,
      newlineKind: 'lf',
      compiler: { overrideTsconfig: { compilerOptions, files: [types] } },
      apiReport: {
        enabled: true,
        reportFileName: name,
        reportFolder: folder,
        reportTempFolder: path.join(folder, 'temp'),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      messages,
    },
  });
}

const declaration =
  /^export (?:abstract |declare )*(?:class|const|function|interface|type) (\w+)/gm;

/** Names the types that an entry's declarations mention and no entry exports. */
function unnameable(forgotten, reports) {
  const exported = new Set();
  for (const { text } of reports) {
    for (const [, name] of text.matchAll(declaration)) exported.add(name);
  }
  return [...new Set(forgotten)].filter((name) => !exported.has(name)).sort();
}

/** Makes the report of every entry, as { file, text }. */
function makeReports(extractor, folder) {
  const entries = libraries.flatMap(publicEntries);
  const configs = entries.map((entry) => configOf(extractor, entry, folder));
  const compilerState = extractor.CompilerState.create(configs[0], {
    additionalEntryPoints: entries.slice(1).map(({ types }) => types),
  });
  const errors = [];
  const reports = entries.map(({ name }, index) => {
    const forgotten = [];
    extractor.Extractor.invoke(configs[index], {
      compilerState,
      localBuild: true,
      messageCallback(message) {
        message.handled = true;
        if (message.logLevel === 'error') errors.push(`${name}: ${message.text}`);
        if (message.messageId === 'ae-forgotten-export') {
          forgotten.push(/The symbol "([^"]+)"/.exec(message.text)?.[1]);
        }
      },
    });
    const file = `${name}.api.md`;
    return { file, text: fs.readFileSync(path.join(folder, file), 'utf8'), forgotten };
  });
  if (errors.length > 0) throw new Error(`no API report:\n${errors.join('\n')}`);
  return reports.map(({ file, text, forgotten }) => {
    const names = unnameable(forgotten, reports);
    const note =
      names.length > 0 ? `\nMentioned but exported by no entry: ${names.join(', ')}\n` : '';
    return { file, text: text + note };
  });
}

/** Lists the files of etc/ that the reports would change. */
function differences(reports) {
  const old = fs.existsSync(reportFolder) ? fs.readdirSync(reportFolder) : [];
  const same = ({ file, text }) =>
    old.includes(file) && fs.readFileSync(path.join(reportFolder, file), 'utf8') === text;
  const changed = reports.filter((report) => !same(report)).map(({ file }) => file);
  const known = reports.map(({ file }) => file);
  return [...changed, ...old.filter((file) => file.endsWith('.api.md') && !known.includes(file))];
}

function writeReports(reports) {
  fs.mkdirSync(reportFolder, { recursive: true });
  for (const file of differences(reports))
    fs.rmSync(path.join(reportFolder, file), { force: true });
  for (const { file, text } of reports) fs.writeFileSync(path.join(reportFolder, file), text);
}

await main(async () => {
  await prepare({ dev: true });
  const { default: extractor } = await import('@microsoft/api-extractor');
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'mcp-kit-api-'));
  try {
    const reports = makeReports(extractor, folder);
    const different = differences(reports);
    if (different.length === 0) return;
    if (process.argv.includes('--check')) {
      throw new Error(`etc/ differs in ${different.join(', ')}: run npm run api, review the diff`);
    }
    writeReports(reports);
    say(`updated ${different.join(', ')}`);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
});
