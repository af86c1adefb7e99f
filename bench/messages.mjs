// CPU time of the main thread for one message of the largest size, by what it is made of. Run: node bench/messages.mjs
import { Buffer } from 'node:buffer';
import { parseMessage } from 'mcp-kit/internal';
import { defaultLimits } from 'mcp-kit/jsonrpc';
import { runningMs } from '../test/support/main-thread.mjs';

const size = 16 * 1024 * 1024;
const rounds = 10;
const filled = (unit) => `["${unit.repeat(size / Buffer.byteLength(unit))}"]`;
const names = (count, name) =>
  Array.from({ length: count }, (_, at) => `"${name}${count + at}":1`).join(',');

const shapes = {
  'plain string': filled('x'),
  'string of escaped lines': filled('\\n'),
  'string of escaped quotes': filled('\\"'),
  'JSON in a string': filled('{\\"name\\":\\"x\\"},'),
  'Latin letters': filled('é'),
  Chinese: filled('漢'),
  'ASCII, but for one character': filled('x').replace('x', '漢'),
  'short strings with escapes': `[${Array(95_000)
    .fill(`"${'\\n'.repeat(80)}"`)
    .join(',')}]`,
  digits: `[${'1'.repeat(size)}]`,
  'numbers of 36 digits': `[${Array(99_000).fill('7'.repeat(36)).join(',')}]`,
  'names, as many as may be': `{${names(49_999, 'x'.repeat(68))}}`,
  'names that V8 does not hash': `{${names(238, 'x'.repeat(17_000))}}`,
  'objects of 20 names': `[${Array.from({ length: 2390 }, (_, at) => `{${names(20, `${'x'.repeat(60)}${at}-`)}}`).join(',')}]`,
};

for (const [what, text] of Object.entries(shapes)) {
  const bytes = Buffer.from(text);
  const { ok, reason } = parseMessage(bytes, defaultLimits);
  let spent = 0;
  for (let round = 0; round < rounds; round++) {
    const before = runningMs();
    parseMessage(bytes, defaultLimits);
    spent += runningMs() - before;
  }
  console.log(`${(spent / rounds).toFixed(0).padStart(4)} ms  ${what}${ok ? '' : `: ${reason}`}`);
}
