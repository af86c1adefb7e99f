#!/usr/bin/env node
// The program. A published package has it built; a clone builds it when it is missing.
import { existsSync } from 'node:fs';

const program = new URL('../dist/main.js', import.meta.url);
if (!existsSync(program)) {
  const { prepare } = await import('../../../scripts/prepare.mjs');
  await prepare({ dev: false });
}
await import(program.href);
