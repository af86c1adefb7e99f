// Serves the servers that come with mcpctl as one, from a fresh clone, over HTTP; arguments go to `mcpctl up`.
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

/** A gateway with the servers that come with it; the tools for one game alone where a project is named. */
function commandLine(args) {
  const names = (pattern) => args.some((arg) => pattern.test(arg));
  if (!names(/^--project\b/)) return ['up', '--sample', ...args];
  const isHttp = !names(/^--(stdio|unix|http)\b/);
  return ['cocos', 'serve', ...(isHttp ? ['--http'] : []), ...args];
}

await main(() => prepare({ dev: false }));
if (!process.exitCode) {
  const entry = path.join(root, 'packages/mcpctl/dist/main.js');
  // In this process, so that signals and standard streams reach the server untouched.
  process.argv = [process.execPath, entry, ...commandLine(process.argv.slice(2))];
  await import(pathToFileURL(entry).href);
}
