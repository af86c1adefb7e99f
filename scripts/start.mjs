// Serves with mcpctl from a fresh clone; arguments go to `mcpctl serve`.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { main, prepare, root } from './prepare.mjs';

// npm starts this through a shell that dies of a signal without passing it on: when it has gone, so must we.
if (process.env.npm_lifecycle_event !== undefined) {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGHUP');
  }, 200).unref();
}

await main(() => prepare({ dev: false }));
if (!process.exitCode) {
  const entry = path.join(root, 'packages/mcpctl/dist/main.js');
  // In this process, so that signals and standard streams reach the server untouched.
  process.argv = [process.execPath, entry, 'serve', ...process.argv.slice(2)];
  await import(pathToFileURL(entry).href);
}
