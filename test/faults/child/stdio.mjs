// A server on standard input and output, with a timer that would keep it alive. Runs the build, not the sources.
import { serveStdio } from 'mcp-kit/transport';
import { service } from './service.mjs';
import { answer } from './vitals.mjs';

setInterval(() => {}, 1000);
if (process.send !== undefined) answer({});
await serveStdio(service, JSON.parse(process.argv[2] ?? '{}'));
