// Appends to a log of its own and counts along, for ever; prints each position once the store has acknowledged both.
import { openFileStore } from '@mcp-kit/store-file';

const [folder, name] = process.argv.slice(2);
const { kv, log } = await openFileStore(folder);
// Several at a time, so that they share a change.
let count;
for (let position = 1; ; position += 4) {
  const writes = [0, 1, 2, 3].map(async (more) => {
    await log.append(name, position + more, `${name} ${position + more}`);
  });
  const next = `${position + 3}`;
  await Promise.all([...writes, kv.cas(`count ${name}`, count, next)]);
  count = next;
  process.stdout.write([0, 1, 2, 3].map((more) => `${position + more}\n`).join(''));
}
