// Tries the Cocos tools on one project: looks at all of it, edits it at random, takes everything back, and compares.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openCocosServer, openHeadless } from '@mcp-kit/cocos';
import { openSession } from 'mcp-kit/client';
import { memoryTarget } from 'mcp-kit/testing';
import { chooser, editMaker, isDocument } from './cocos-edits.mjs';

/** Everything in a folder by its path, files as the hash of their bytes; without what the pack keeps for itself. */
function snapshot(folder) {
  const found = new Map();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(folder, file).replaceAll('\\', '/');
    if (name === 'local' || name.startsWith('local/mcp-kit')) continue;
    const isFile = entry.isFile();
    found.set(name, isFile ? createHash('sha256').update(readFileSync(file)).digest('hex') : '');
  }
  return found;
}

/** The names of what is not in both, or not the same. */
const differing = (before, after) =>
  [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name),
  );

/** A server on the project, and how its tools are called; bugs are kept with the calls that showed them. */
async function connect(folder, { maxUndo, imageFolders }) {
  const bugs = [];
  let last = '';
  const note = (message, fields = {}) => (last = `${message} ${fields.error ?? ''}`);
  const quiet = () => {};
  const logger = { debug: quiet, info: quiet, warn: quiet, error: note };
  const backend = await openHeadless(folder, { maxUndo, imageFolders });
  const governance = { visible: ['core', 'advanced', 'internal'], checkResults: true };
  const cocos = await openCocosServer({ project: backend, governance, logger });
  const session = await openSession(memoryTarget(cocos.server), { era: 'legacy' });
  const ask = async (tool, args = {}) => {
    try {
      const { structuredContent } = await session.callTool(tool, args, { timeoutMs: 300_000 });
      if (structuredContent.error?.code === 'E_INTERNAL') bugs.push({ tool, args, why: last });
      return structuredContent;
    } catch (error) {
      bugs.push({ tool, args, why: String(error) });
      return { success: false, data: null, error: { code: 'protocol', message: String(error) } };
    }
  };
  return {
    ask,
    bugs,
    async close() {
      await session.close();
      await cocos[Symbol.asyncDispose]();
      await backend[Symbol.asyncDispose]();
    },
  };
}

/** All of a list that a tool gives in pages. */
async function allOf(ask, [tool, field], args = {}) {
  const all = [];
  for (let offset = 0; offset !== undefined;) {
    const { data } = await ask(tool, { ...args, offset, limit: 500 });
    if (data === null) break;
    all.push(...data[field]);
    offset = data.nextOffset;
  }
  return all;
}

const findingsOf = (ask) => allOf(ask, ['validate_project_assets', 'findings']);

/** How many findings there are of each code. */
function countByCode(findings) {
  const counts = {};
  for (const { code, severity } of findings) {
    counts[code] ??= { severity, count: 0 };
    counts[code].count += 1;
  }
  return counts;
}

/** Opens, shows, checks and draws every scene and prefab; answers how many could be, and why others could not. */
async function openAll(ask, documents) {
  const refused = {};
  let opened = 0;
  for (const scenePath of documents) {
    const { error } = await ask('execute_scene_open', { scenePath });
    if (error === null) opened += 1;
    else refused[error.code] = (refused[error.code] ?? 0) + 1;
    await ask('get_scene_tree', { scenePath, expandInstances: true });
    await ask('validate_scene_document', { scenePath });
    await ask('get_scene_picture', { scenePath, format: 'svg' });
  }
  return { opened, refused };
}

/** Makes random edits: some are tried first and done by their plan. Answers what became of them, by tool and by code. */
async function editAtRandom(ask, { edits, choose, image }) {
  const make = editMaker({ ask, choose, image });
  const done = {};
  const refused = {};
  let count = 0;
  for (let at = 0; at < edits; at++) {
    const [tool, args] = await make();
    let given = args;
    if (choose.happens(0.2)) {
      const tried = await ask(tool, { ...args, dryRun: true });
      if (tried.success) given = { ...args, planToken: tried.data.planToken };
    }
    const { error } = await ask(tool, given);
    if (error === null) {
      count += 1;
      done[tool] = (done[tool] ?? 0) + 1;
    } else refused[error.code] = (refused[error.code] ?? 0) + 1;
  }
  return { count, done, refused };
}

/** Takes back all there is to take back; answers how much it was. */
async function undoAll(ask) {
  let undone = 0;
  for (;;) {
    const { error } = await ask('execute_project_undo');
    if (error?.code === 'E_PRECONDITION_FAILED') return { undone };
    if (error !== null) return { undone, stopped: `${error.code}: ${error.message}` };
    undone += 1;
  }
}

/** What a finding is about, wherever it is now: its code and the uuid that it names. */
const subjectOf = ({ code, message }) => `${code} ${/[-0-9a-f]{36}/.exec(message) ?? ''}`;

/** Errors that the edits made. Copies of what refers to a missing asset refer to it, too. */
function madeErrors(before, after) {
  const left = new Map();
  for (const subject of before.map(subjectOf)) left.set(subject, (left.get(subject) ?? 0) + 1);
  return after.filter((finding) => {
    const subject = subjectOf(finding);
    if (finding.severity !== 'error') return false;
    if (finding.code.startsWith('missing')) return !left.has(subject);
    const count = left.get(subject) ?? 0;
    left.set(subject, count - 1);
    return count <= 0;
  });
}

/** Tries one project, which is a copy that may be changed; `image` is a PNG to import. */
export async function tryProject(folder, { edits, seed, image, say }) {
  const before = snapshot(folder);
  const imageFolders = [path.dirname(image)];
  const server = await connect(folder, { maxUndo: edits + 10, imageFolders });
  const { ask, bugs } = server;
  try {
    const { data: project } = await ask('get_project_info');
    const findings = await findingsOf(ask);
    const documents = [];
    for (const type of ['scene', 'prefab']) {
      const found = await allOf(ask, ['list_asset_files', 'assets'], { type });
      documents.push(...found.map((asset) => asset.assetPath).filter(isDocument));
    }
    say(`${findings.length} findings; opening ${documents.length} scenes and prefabs`);
    const opening = await openAll(ask, documents);
    const untouched = differing(before, snapshot(folder));
    say(`opened ${opening.opened}; ${edits} random edits`);
    const edited = await editAtRandom(ask, { edits, choose: chooser(seed), image });
    say(`done ${edited.count}; undoing`);
    const newErrors = madeErrors(findings, await findingsOf(ask));
    const undo = await undoAll(ask);
    return {
      creator: project?.creatorVersion,
      counts: project?.counts,
      findings: countByCode(findings),
      details: findings,
      opening: { documents: documents.length, ...opening },
      edits: { asked: edits, ...edited },
      newErrors,
      undo,
      changed: [...untouched, ...differing(before, snapshot(folder))],
      bugs,
    };
  } finally {
    await server.close();
  }
}
