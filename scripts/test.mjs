// Runs the tests from a fresh clone; arguments go to vitest.
import { main } from './prepare.mjs';
import { runVitest } from './tests/vitest.mjs';

await main(() => runVitest(process.argv.slice(2)));
