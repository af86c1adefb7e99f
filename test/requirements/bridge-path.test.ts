import { createBridge } from 'mcp-kit/bridge';
import { childTarget } from 'mcp-kit/transport/child-process';
import { expect, test } from 'vitest';
import { shellServer } from '../bridge/shell-server.ts';
import { Mark } from '../faults/lib/marked-processes.ts';
import { serving, startSession } from '../support/mcp-http.ts';
import { modulesOf } from '../support/modules-of.ts';

// How many modules take part in one call through a bridge: whoever follows it has to read them.

test('a call of a legacy client over HTTP at a legacy server on a pipe passes 31 modules at most', async () => {
  await using mark = new Mark();
  await using bridge = createBridge(childTarget(shellServer(mark)));
  await using served = await serving(bridge);
  const session = await startSession(served.url);
  const call = (): Promise<unknown> => session.request('tools/call', { name: 'done' });
  await call();
  const modules = await modulesOf(call);
  expect(modules).toContain('bridge/relay.ts');
  expect(modules.slice(31)).toEqual([]);
});
