import { watchConfig, type Manager } from '@mcp-kit/host';
import { gateway } from '@mcp-kit/host/gateway';
import { unref } from 'mcp-kit/internal';
import { loadOptions } from '../config.ts';
import { tell } from '../output.ts';
import { within } from '../stop.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { version } from '../version.ts';
import { endMs, serveUp, type UpFront } from './front.ts';
import type { UpPlan } from './plan.ts';
import { reporter } from './report.ts';

/** How often servers that may not be used are looked at again. */
const reconsiderMs = 2000;

/** Serves the servers of a manager as one, and follows what becomes of the configuration. */
export async function runUp(manager: Manager, plan: UpPlan & UpFront): Promise<void> {
  const { globals, logger, stop, options } = plan;
  const isTold = !globals.quiet && !globals.json && plan.place.kind !== 'stdio';
  const service = gateway(manager, {
    ...options,
    info: { name: 'mcpctl', version: version() },
    logger,
    onChange: isTold ? reporter() : undefined,
  });
  const watching = watchConfig(loadOptions(globals), {
    async changed(config) {
      const { added, changed, removed } = await manager.reload(config);
      const news = [...added, ...changed, ...removed];
      if (isTold && news.length > 0) tell(plainLine(`read again: ${news.sort().join(', ')}`));
    },
    failed: (error) => tell(plainLine(error.message)),
  });
  const timer = unref(setInterval(() => service.reconsider(), reconsiderMs));
  try {
    await serveUp(service, plan);
  } finally {
    clearInterval(timer);
    watching.close();
    const closed = service.close();
    // Whatever servers do then: what is left of them ends with this process.
    await (stop.aborted ? within(endMs, closed) : closed);
  }
}
