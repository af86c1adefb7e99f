// Serves the sample project of the Cocos pack from a fresh clone, over HTTP; arguments go to `mcpctl cocos serve`.
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

/** A copy of the sample, unless another project is named; over HTTP, unless another way is. */
function commandLine(args) {
  const names = (pattern) => args.some((arg) => pattern.test(arg));
  const isSample = !names(/^--(project|sample)\b/);
  const isHttp = !names(/^--(stdio|unix|http)\b/);
  return [
    'cocos',
    'serve',
    ...(isSample ? ['--sample'] : []),
    ...(isHttp ? ['--http'] : []),
    ...args,
  ];
}

await main(() => prepare({ dev: false }));
if (!process.exitCode) {
  const entry = path.join(root, 'packages/mcpctl/dist/main.js');
  // In this process, so that signals and standard streams reach the server untouched.
  process.argv = [process.execPath, entry, ...commandLine(process.argv.slice(2))];
  await import(pathToFileURL(entry).href);
}
