#!/usr/bin/env node
// The program. A published package has it built; a clone builds it when it is missing.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const program = join(__dirname, '../dist/main.js');

async function start() {
  if (!existsSync(program)) {
    const { prepare } = await import('../../../scripts/prepare.mjs');
    await prepare({ dev: false });
  } else if (process.argv[2] === 'call') {
    // A process that keeps servers open has answered before this one would have loaded the program.
    const { answerWarm } = require('../dist/warm.cjs');
    if (await answerWarm(process.argv.slice(2), program)) return;
  }
  await import('../dist/main.js');
}

void start();
