// Writes what docs/cocos.md says of tools and of findings, its pictures, and docs/cocos-tasks.md, from the pack itself; with --check it
// only compares.
import fs from 'node:fs';
import path from 'node:path';
import { recordTasks } from './cocos-tasks/record.mjs';
import { main, prepare, root, say } from './prepare.mjs';

const page = path.join(root, 'docs/cocos.md');
const sample = path.join(root, 'packages/cocos/sample');

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');

const table = (head, rows) =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---|').join('')}`,
    ...rows.map((row) => `| ${row.map(cell).join(' | ')} |`),
  ].join('\n');

function replaceBetween(text, [begin, end], content) {
  const from = text.indexOf(begin);
  const to = text.indexOf(end);
  if (from === -1 || to < from)
    throw new Error(`docs/cocos.md has lost its lines around "${begin}"`);
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`;
}

/** What a tool does, in its first sentence. */
const firstSentence = (text) => /^.*?[.…](?= |$)/s.exec(text)?.[0] ?? text;

async function toolTable() {
  const { openHeadless } = await import('../packages/cocos/dist/backend/index.js');
  const { cocosToolList } = await import('../packages/cocos/dist/tools/index.js');
  const backend = await openHeadless(sample);
  try {
    const order = ['core', 'advanced', 'internal'];
    const tools = [...cocosToolList(backend)].sort(
      (left, right) => order.indexOf(left.layer) - order.indexOf(right.layer),
    );
    const rows = tools.map(({ name, description, layer, safety }) => [
      `\`${name}\``,
      layer,
      safety === 'readonly' ? 'reads' : safety === 'destructive' ? 'destroys' : 'writes',
      firstSentence(description),
    ]);
    return table(['tool', 'layer', '', 'what'], rows);
  } finally {
    await backend[Symbol.asyncDispose]();
  }
}

async function codeTable() {
  const { findingRules } = await import('../packages/cocos/dist/validate/index.js');
  const rows = Object.entries(findingRules).map(([code, { severity, summary, fixable }]) => [
    `\`${code}\``,
    severity,
    fixable ? 'yes' : '',
    `${summary}.`,
  ]);
  return table(['code', 'severity', 'fixable', 'what'], rows);
}

const pictures = {
  'cocos-menu.svg': ['assets/scenes/menu.scene', { background: 'camera', outlines: false }],
  'cocos-game.svg': ['assets/scenes/game.scene', { background: 'camera', outlines: false }],
  'cocos-dialog.svg': ['assets/prefabs/dialog.prefab', { names: true }],
};

/** The page about tasks, with its pictures, by their files. */
async function tasksPage() {
  const made = Object.entries(await recordTasks());
  return Object.fromEntries(made.map(([name, text]) => [path.join(root, 'docs', name), text]));
}

/** The pictures, by their files. */
async function draw() {
  const { openWorkspace, readDocument } = await import('../packages/cocos/dist/edit/index.js');
  const { openProject } = await import('../packages/cocos/dist/project/index.js');
  const { renderDocument } = await import('../packages/cocos/dist/render/index.js');
  const project = await openProject(sample);
  try {
    const workspace = await openWorkspace(project);
    const drawn = Object.entries(pictures).map(([name, [document, options]]) => [
      path.join(root, 'docs/images', name),
      renderDocument(readDocument(workspace, document), options).svg,
    ]);
    return Object.fromEntries(drawn);
  } finally {
    project[Symbol.dispose]();
  }
}

await main(async () => {
  await prepare({ dev: true });
  const mark = (name) => [
    `<!-- ${name}: written by scripts/cocos-docs.mjs. -->`,
    `<!-- End of ${name.toLowerCase()}. -->`,
  ];
  let text = fs.readFileSync(page, 'utf8');
  text = replaceBetween(text, mark('Tools'), await toolTable());
  text = replaceBetween(text, mark('Codes'), await codeTable());
  const files = { [page]: text, ...(await draw()), ...(await tasksPage()) };
  const stale = Object.entries(files).filter(
    ([file, content]) => !fs.existsSync(file) || fs.readFileSync(file, 'utf8') !== content,
  );
  const names = stale.map(([file]) => path.relative(root, file)).join(', ');
  if (stale.length === 0) return;
  if (process.argv.includes('--check')) {
    throw new Error(`out of date: ${names}. Run node scripts/cocos-docs.mjs`);
  }
  for (const [file, content] of stale) {
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, content);
  }
  say(`updated ${names}`);
});
