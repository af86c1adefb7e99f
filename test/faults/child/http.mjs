// A server over HTTP in a process of its own. Runs the build, not the sources.
import { serveHttp } from 'mcp-kit/transport/http';
import { service } from './service.mjs';
import { answer, watchTimers } from './vitals.mjs';

const { watched = false, ...options } = JSON.parse(process.argv[2] ?? '{}');
if (watched) watchTimers();
const listening = await serveHttp(service, options);
const { endpoint, port } = listening;

answer({
  endpoint: () => ({ sessions: endpoint.sessionCount, streams: endpoint.streamCount }),
  /** How long it takes. */
  async close() {
    const started = performance.now();
    await Promise.all([listening.close(), listening.close()]);
    return performance.now() - started;
  },
});
process.send({ port });
