// Records the first minutes of somebody new, from an empty folder to the first answer of a tool, into docs/first-minutes.md.
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { main, prepare, root, say } from './prepare.mjs';

const page = path.join(root, 'docs/first-minutes.md');
const { version } = JSON.parse(
  fs.readFileSync(path.join(root, 'packages/mcpctl/package.json'), 'utf8'),
);

/** Packs what the registry would have. */
async function pack(folder) {
  const places = ['mcp-kit', 'mcpctl', 'create-mcp-kit'].map((name) => `./packages/${name}`);
  const args = ['pack', ...places, '--pack-destination', folder, '--silent', '--ignore-scripts'];
  await promisify(execFile)('npm', args, { cwd: root });
}

/** A folder to work in, with a home and a cache of npm that have nothing in them. */
function surroundings() {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), 'first-minutes-'));
  const work = path.join(place, 'projects');
  const home = path.join(place, 'home');
  const bin = path.join(home, 'bin');
  for (const folder of [work, bin]) fs.mkdirSync(folder, { recursive: true });
  const start = `#!/bin/sh\nexec '${process.execPath}' '${path.join(root, 'packages/mcpctl/bin/mcpctl.js')}' "$@"\n`;
  fs.writeFileSync(path.join(bin, 'mcpctl'), start, { mode: 0o755 });
  const env = {
    HOME: home,
    PATH: `${bin}:${process.env.PATH}`,
    SHLVL: '1',
    SHELL: '/bin/bash',
    TERM: 'xterm',
    NO_COLOR: '1',
    npm_config_cache: path.join(home, '.npm'),
    npm_config_update_notifier: 'false',
    npm_config_loglevel: 'error',
    npm_config_progress: 'false',
  };
  return { place, work, env };
}

/** What the person at the terminal answers. */
const answers = { 'Approve it? [y/N]': 'y', 'Write this? [y/N]': 'y' };

/** Runs a command on a terminal, and answers what it asks; what the terminal shows. */
function onTerminal(command, { folder, env }) {
  return new Promise((resolve, reject) => {
    const sized = `stty cols 100 rows 40; ${command}`;
    const child = spawn('script', ['-qefc', sized, '/dev/null'], {
      cwd: folder,
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const left = new Map(Object.entries(answers));
    let text = '';
    child.stdout.on('data', (chunk) => {
      text += chunk;
      for (const [question, answer] of left) {
        if (!text.includes(question)) continue;
        left.delete(question);
        child.stdin.write(`${answer}\r`);
      }
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(visible(text));
      else reject(new Error(`${command} ended with ${code}:\n${text}`));
    });
  });
}

/** The text without what moves the cursor, and without lines that were written over. */
function visible(text) {
  const escape = String.raw`\u001B\[`;
  return text
    .replaceAll(new RegExp(String.raw`${escape}\d*K`, 'g'), '\r')
    .replaceAll(new RegExp(String.raw`${escape}[\d;?]*[A-Za-z]`, 'g'), '')
    .split(/\r*\n/)
    .map((line) => line.split('\r').at(-1))
    .join('\n');
}

/** Runs commands one after the other, as they would be typed; what is shown, and how long each took. */
async function play(commands, { work, env }) {
  let folder = work;
  const steps = [];
  for (const command of commands) {
    const started = performance.now();
    const isMove = command.startsWith('cd ');
    if (isMove) folder = path.resolve(folder, command.slice(3));
    const output = isMove ? '' : await onTerminal(command, { folder, env });
    steps.push({ command, output, ms: isMove ? 0 : performance.now() - started });
  }
  return steps;
}

const seconds = (ms) => `${(ms / 1000).toFixed(1)} s`;
const total = (steps) => steps.reduce((sum, { ms }) => sum + ms, 0);

function shown(steps, { place }) {
  const lines = steps.flatMap(({ command, output, ms }) => [
    `$ ${command}${ms === 0 ? '' : `    # ${seconds(ms)}`}`,
    ...output
      .trimEnd()
      .split('\n')
      .filter((line) => line.trim() !== '' || output !== ''),
  ]);
  return lines
    .map((line) => line.replaceAll(place, '~').trimEnd())
    .filter((line) => line !== '')
    .join('\n');
}

await main(async () => {
  await prepare({ dev: false });
  const where = surroundings();
  try {
    await pack(where.work);
    const cold = await play(
      [
        `npx --yes ./create-mcp-kit-${version}.tgz my-server --packages .`,
        'cd my-server',
        'npx mcpctl call my-server.get_number_sum a=2 b=3',
      ],
      where,
    );
    const empty = path.join(where.place, 'empty');
    fs.mkdirSync(empty);
    const warm = await play(
      [
        'mcpctl add demo -- mcpctl serve --stdio',
        "mcpctl call demo.get_text_statistics text='hello world'",
      ],
      { ...where, work: empty },
    );
    const text = `# The first minutes

Recorded by \`node scripts/record-session.mjs\` on ${os.availableParallelism()} cores, Node ${process.version}. The packages are not published yet: the
first line runs packed ones, where \`npm create mcp-kit my-server\` will do. Only \`mcp-kit\` and \`mcpctl\` come from there; TypeScript
and the rest come from the registry of npm, with a cache that is empty. What follows a question was typed.

## From an empty folder, with npm: ${seconds(total(cold))}

\`\`\`text
${shown(cold, where)}
\`\`\`

## From an empty folder, with mcpctl on the PATH: ${seconds(total(warm))}

\`\`\`text
${shown(warm, where)}
\`\`\`
`;
    fs.writeFileSync(page, text);
    say(`wrote docs/first-minutes.md: ${seconds(total(cold))} cold, ${seconds(total(warm))} warm`);
  } finally {
    fs.rmSync(where.place, { recursive: true, force: true });
  }
});
