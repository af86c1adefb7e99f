import type { ServerActions } from '@mcp-kit/console';
import { showChange, type Manager } from '@mcp-kit/host';
import { createPolicy, effectOf, type Gateway } from '@mcp-kit/host/gateway';
import { browserInteraction } from 'mcp-kit/auth';
import { proposalLines, userName } from '../commands/trust/view.ts';
import { linesOf, wordsOf } from '../commands/policy/view.ts';

/** What people may do with the servers of a gateway from its console, as on the command line. */
export function actionsOf(gateway: Gateway, manager: Manager): ServerActions {
  const statusOf = (name: string): unknown =>
    gateway.status().servers.find((server) => server.name === name);
  return {
    async restart(server) {
      await gateway.restart(server);
      return statusOf(server);
    },
    async stop(server) {
      await gateway.stop(server);
      return statusOf(server);
    },
    async approval(server) {
      const { verdict, changes, receipt } = await manager.trustOf(server);
      const entry = manager.status(server).entry;
      const listing = await manager.server(server).recalledTools();
      return {
        verdict,
        approvedAt: receipt?.approvedAt,
        proposal: entry === undefined ? [] : proposalLines(entry),
        changes: changes.flatMap((change) => showChange(change)),
        tools: (listing?.withheld ?? []).map(({ name, changes: of }) => ({
          name,
          changes: of.flatMap((change) => showChange(change)),
        })),
        fresh: listing?.fresh ?? [],
      };
    },
    async approve(server) {
      const { unpinned } = await manager.approve(server, { by: userName(), pin: true });
      gateway.reconsider();
      return { unpinned: unpinned?.message };
    },
    async why(server, tool, args) {
      const listing = await manager.server(server).recalledTools();
      const found = listing?.tools.find(({ name }) => name === tool);
      const effect = effectOf(found === undefined || listing?.fresh.includes(tool) ? {} : found);
      const policy = createPolicy(manager.gatewaySettings.policy ?? []);
      const subject = { server, kind: 'tool', name: tool, effect, args } as const;
      const { decision, rule } = policy.decide(subject);
      const [lined] = rule === undefined ? [] : await linesOf([rule]);
      return {
        decision,
        effect,
        rule: lined && {
          file: lined.file,
          line: lined.line,
          words: wordsOf(lined),
          reason: lined.reason,
        },
      };
    },
    login: (server) => beginLogin(manager, server),
  };
}

/** Gives the address where the person logs in; the login goes on behind it. */
function beginLogin(manager: Manager, server: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const interact = browserInteraction({
      say: () => {},
      open(url) {
        resolve({ url: url.href });
        return true;
      },
    });
    manager.login(server, { interact }).then(
      () => resolve({ url: undefined }),
      (error: unknown) => reject(error),
    );
  });
}
