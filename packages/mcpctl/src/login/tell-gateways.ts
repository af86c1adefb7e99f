import { findRunning } from '../control/client.ts';
import type { Globals } from '../globals.ts';
import { warn } from '../output.ts';
import { plainLine } from '../terminal/plain-text.ts';

/** Has the gateways that run let go of a login that is no longer kept: they would use its token until it ends. */
export async function tellGateways(
  asked: { readonly server: string; readonly principal: string | undefined },
  globals: Globals,
): Promise<void> {
  const all = await findRunning();
  await Promise.all(
    all.map(async ({ status, ask, close }) => {
      const { gateway, servers } = status;
      try {
        if (servers.some(({ name }) => name === asked.server)) await ask('loggedOut', asked);
      } catch (error) {
        const left = `the gateway ${gateway.name} may use it until it ends`;
        warn(globals, plainLine(`${left}: ${String(error)}`));
      } finally {
        await close();
      }
    }),
  );
}
