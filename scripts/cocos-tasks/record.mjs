// Has a server do what a model is asked for, and writes down each call with its answer.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from '../prepare.mjs';
import { tasks } from './tasks.mjs';

const titles = {
  menu: 'A menu',
  hud: 'What is seen while playing',
  dialog: 'A dialog, made a prefab',
  inventory: 'A list of what the player has',
  settings: 'A page of settings',
};

/** What is shown of a task, where that is not its scene. */
const shown = { dialog: 'assets/prefabs/question.prefab' };

/** Calls what a task takes, on a copy of the sample. */
async function record({ name, steps }) {
  const { openCocosServer } = await import('../../packages/cocos/dist/index.js');
  const { openSession } = await import('mcp-kit/client');
  const { memoryTarget } = await import('mcp-kit/testing');
  const scratch = mkdtempSync(path.join(os.tmpdir(), 'cocos-task-'));
  const project = path.join(scratch, 'star-catcher');
  cpSync(path.join(root, 'packages/cocos/sample'), project, { recursive: true });
  const cocos = await openCocosServer({ project });
  const session = await openSession(memoryTarget(cocos.server), { era: 'legacy' });
  const call = async (tool, args) => {
    const { content, structuredContent } = await session.callTool(tool, args);
    const answer = withoutTimes(content[0].text);
    if (!structuredContent.success) throw new Error(`${name}: ${tool}: ${answer}`);
    const sent = withoutTimes(JSON.stringify({ content, structuredContent }));
    return { tool, args, answer, structuredContent, size: Buffer.byteLength(sent) };
  };
  try {
    const calls = [];
    for (const [tool, args] of steps) calls.push(await call(tool, args));
    const picture = await call('get_scene_picture', {
      scenePath: shown[name],
      format: 'svg',
      includeImages: true,
    });
    return { name, calls, svg: picture.structuredContent.data.svg };
  } finally {
    await session.close();
    await cocos[Symbol.asyncDispose]();
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** What took 12 ms today takes 9 tomorrow. */
const withoutTimes = (text) =>
  text.replaceAll(/\b\d+ ms\b/g, '… ms').replaceAll(/"durationMs":[\d.]+/g, '"durationMs":0');

/** A list on a line for each of its elements, everything else on one line. */
function textOf(args) {
  const fields = Object.entries(args).map(([key, value]) => {
    const isLong = Array.isArray(value) && JSON.stringify(value).length > 100;
    const lines = isLong ? value.map((each) => `\n  ${JSON.stringify(each)}`) : undefined;
    return `${JSON.stringify(key)}: ${lines ? `[${lines.join()}\n]` : JSON.stringify(value)}`;
  });
  return fields.length === 0 ? '' : ` {${fields.join(', ')}}`;
}

const objectId = '(?:[0-9a-f]{2}[0-9A-Za-z+/]{20})+';
/** A uuid, ids of the editor, the id of a write; in a tree also the beginning of one. */
const idForm = new RegExp(
  `\\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\\b|(?<=")(?:${objectId}|[0-9a-f]{12})(?=")` +
    `|(?<=\\()(?:${objectId}|[0-9a-f]{2}[0-9A-Za-z+/]{6})(?=\\))`,
  'g',
);

/** Ids are other each time; the same one gets the same number. */
function withoutIds(text) {
  const numbers = new Map();
  return text.replaceAll(idForm, (id) => {
    // Of what is in an instance, the beginning is the id of the instance.
    const known = id.length > 36 ? id : id.slice(0, 8);
    const number = numbers.get(known) ?? numbers.size + 1;
    numbers.set(known, number);
    return `id${number}`;
  });
}

function sectionOf({ name, calls }) {
  const told = calls.map(
    ({ tool, args, answer }) => `\`\`\`text\n${tool}${textOf(args)}\n\n${answer}\n\`\`\``,
  );
  const text = withoutIds(told.join('\n\n'));
  return `## ${titles[name]}\n\n![${titles[name]}](images/cocos-task-${name}.svg)\n\n${text}`;
}

/** The page about all tasks, and the pictures of what was built, by their places in docs. */
export async function recordTasks() {
  const done = [];
  for (const task of tasks) done.push(await record(task));
  const rows = done.map(({ name, calls }) => {
    const size = calls.reduce((sum, each) => sum + each.size, 0);
    return `| ${titles[name]} | ${calls.length} | ${(size / 1000).toFixed(1)} KB |`;
  });
  const page = `# Five tasks, call by call

What an assistant calls to build a piece of UI from an empty scene, without a look at any page, and what it is answered. Each was done
on a copy of the sample project by \`node scripts/cocos-docs.mjs\`; below a call is the text of its answer, in which ids are numbers.
The size is that of all answers as they are sent, structured content included.

| task | calls | answers |
|---|---|---|
${rows.join('\n')}

${done.map(sectionOf).join('\n\n')}
`;
  const pictures = done.map(({ name, svg }) => [`images/cocos-task-${name}.svg`, svg]);
  return { 'cocos-tasks.md': page, ...Object.fromEntries(pictures) };
}
