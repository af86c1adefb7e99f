// Runs `npm test` many times in a row on a fresh clone of what is committed, while cores are kept busy:
//   node scripts/repeat-tests.mjs --runs 10 --busy 1
// Every run is counted. Fails when one was red; the outputs of red runs are kept.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { run } from './child.mjs';
import { main, root } from './prepare.mjs';

function countOf(name, text) {
  if (!/^\d+$/.test(text)) throw new Error(`--${name} is a number, not ${text}`);
  return Number(text);
}

function readOptions() {
  const options = {
    runs: { type: 'string', default: '10' },
    busy: { type: 'string', default: '1' },
  };
  const { values } = parseArgs({ options });
  return { runs: countOf('runs', values.runs), busy: countOf('busy', values.busy) };
}

/** Clones into a folder with nothing beside it, which is gone when this process ends. */
async function cloneTo(folder) {
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  const clone = path.join(folder, 'clone');
  const { code, output } = await run('git', ['clone', '--quiet', root, clone], { quiet: true });
  if (code !== 0) throw new Error(`git clone failed:\n${output}`);
  return clone;
}

/** The environment of somebody who has just cloned: nothing asks for more, or for less, than usual. */
function usualEnvironment() {
  const { CI: _ci, PROPERTY_RUNS: _runs, FAULT_SHARE: _share, ...environment } = process.env;
  return environment;
}

/** Runs `npm test` in a process group of its own, which ends with this process. */
function runTests(clone) {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'pipe', 'pipe'];
    const options = { cwd: clone, env: usualEnvironment(), stdio, detached: true };
    const child = spawn('npm', ['test'], options);
    const end = () => process.kill(-child.pid, 'SIGKILL');
    // Before the folder is removed.
    process.prependOnceListener('exit', end);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    }
    child.once('error', reject);
    child.once('close', (code) => {
      process.off('exit', end);
      resolve({ code, output });
    });
  });
}

async function runOnce(clone) {
  const startMs = performance.now();
  const { code, output } = await runTests(clone);
  const seconds = Math.round((performance.now() - startMs) / 1000);
  const counts = /^Tests: (.*)$/m.exec(output)?.[1] ?? 'no tests were counted';
  return { green: code === 0, seconds, counts, output };
}

await main(async () => {
  const { runs, busy } = readOptions();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => process.exit(1));
  const clone = await cloneTo(mkdtempSync(path.join(tmpdir(), 'mcp-kit-repeat-')));
  const logs = path.join(tmpdir(), `mcp-kit-red-${process.pid}`);
  // Threads of this process end with it, however it ends.
  const loops = Array.from({ length: busy }, () => new Worker('for (;;);', { eval: true }));
  const results = [];
  for (let number = 1; number <= runs; number += 1) {
    const { output, ...result } = await runOnce(clone);
    results.push(result);
    const { green, seconds, counts } = result;
    console.log(`run ${number}: ${green ? 'green' : 'RED'}, ${seconds} s, ${counts}`);
    if (green) continue;
    mkdirSync(logs, { recursive: true });
    const log = path.join(logs, `run-${number}.log`);
    writeFileSync(log, output);
    console.log(`  its output: ${log}`);
  }
  await Promise.all(loops.map((loop) => loop.terminate()));
  const green = results.filter((result) => result.green).length;
  const times = results.map(({ seconds }) => seconds);
  const range = `${Math.min(...times)} to ${Math.max(...times)} s`;
  console.log(`${green} of ${runs} green, ${range}, with ${busy} cores kept busy`);
  return green === runs ? 0 : 1;
});
