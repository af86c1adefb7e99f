// Runs the long fault and attack runs from a fresh clone; arguments go to vitest.
import { main } from './prepare.mjs';
import { runVitest } from './tests/vitest.mjs';

await main(() => runVitest(['--config', 'vitest.chaos.config.ts', ...process.argv.slice(2)]));
