// A server on a unix socket in a process of its own. Runs the build, not the sources.
import { listenSocket } from 'mcp-kit/transport';
import { service } from './service.mjs';
import { answer } from './vitals.mjs';

const { path } = JSON.parse(process.argv[2] ?? '{}');
const listening = await listenSocket(service, path);

answer({
  /** How long it takes. */
  async close() {
    const started = performance.now();
    await Promise.all([listening.close(), listening.close()]);
    return performance.now() - started;
  },
});
process.send({ port: 0 });
