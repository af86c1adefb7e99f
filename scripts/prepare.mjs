// Makes a fresh or changed clone ready to run: installs and builds what is missing, nothing else.
import path from 'node:path';
import { build, isBuilt } from './build.mjs';
import { install, isInstalled } from './install.mjs';
import { withLock } from './lock.mjs';

/** The folder of the whole repository. */
export const root = path.resolve(import.meta.dirname, '..');

/** Runs `work` when no other script of this repository installs or builds. */
export const exclusively = (work) => withLock(path.join(root, '.prepare.lock'), work);

/** Prints one line about slow work; to stderr, as stdout may carry a protocol. */
export const say = (text) => process.stderr.write(`mcp-kit: ${text}\n`);

const isReady = (scope) => isInstalled(root, scope) && isBuilt(root);

/** Installs (with the development tools when `dev`) and builds, each only when needed. */
export async function prepare({ dev }) {
  if (isReady({ dev })) return;
  await exclusively(async () => {
    const steps = [
      ...(isInstalled(root, { dev })
        ? []
        : [{ name: 'installing', run: () => install(root, { dev }) }]),
      ...(isBuilt(root) ? [] : [{ name: 'building', run: () => build(root) }]),
    ];
    if (steps.length === 0) return;
    say(steps.map(({ name }) => name).join(' and '));
    for (const step of steps) await step.run();
  });
}

/** Runs a script's main function; an expected failure is one message without a stack. */
export async function main(body) {
  try {
    process.exitCode = (await body()) ?? process.exitCode;
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
