import { KitError } from 'mcp-kit/internal';
import type { Session, ToolGuard } from 'mcp-kit/client';
import { describe, expect, test } from 'vitest';
import { newer, older, open, script, text, type Script } from './client-script.ts';

const tool = (name: string): object => ({ name, inputSchema: { type: 'object' } });

function server(era: 'older' | 'newer'): Script {
  const pages: Readonly<Record<string, object>> = {
    first: { tools: [tool('read'), tool('write')], nextCursor: 'second' },
    second: { tools: [tool('erase'), { title: 'no name' }, null] },
  };
  const complete = era === 'newer' ? { resultType: 'complete' } : {};
  return script({
    ...(era === 'newer' ? newer : older),
    'tools/list': ({ cursor = 'first' }) => ({ ...pages[String(cursor)], ...complete }),
    'tools/call': ({ name }) => ({ ...text(String(name)), ...complete }),
    'acme/own': () => ({ ...complete, own: true }),
  });
}

/** Lets pass whatever is not among the forbidden; notes what it was asked. */
function forbids(...forbidden: string[]): ToolGuard & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    list: (tools) => tools.filter(({ name }) => !forbidden.includes(name)),
    call(name) {
      asked.push(name);
      if (forbidden.includes(name)) throw new KitError('refused_by_policy', `not ${name}`);
    },
  };
}

async function names(session: Session): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name } of session.tools()) found.push(name);
  return found;
}

describe.each(['older', 'newer'] as const)('a guarded session in the %s era', (era) => {
  const refused = { code: 'refused_by_policy' };

  test('shows and calls only what its guard lets pass, however it is asked', async () => {
    const it = server(era);
    await using session = await open(it);
    const guarded = session.guarded(forbids('erase'));
    expect(await names(guarded)).toEqual(['read', 'write']);
    const page = await guarded.request('tools/list', { cursor: 'second' });
    expect(page).toMatchObject({ tools: [] });
    expect(await guarded.callTool('read')).toMatchObject(text('read'));
    await expect(guarded.callTool('erase')).rejects.toMatchObject(refused);
    await expect(guarded.request('tools/call', { name: 'erase' })).rejects.toMatchObject(refused);
    await expect(guarded.notify('tools/call', { name: 'erase' })).rejects.toMatchObject(refused);
    expect(it.peer.of('tools/call')).toHaveLength(1);
    // The one it was made from is as it was.
    expect(await names(session)).toEqual(['read', 'write', 'erase']);
    await session.callTool('erase');
  });

  test('cannot be talked out of its guard', async () => {
    const it = server(era);
    await using session = await open(it);
    const guarded = session.guarded(forbids('erase'));
    const again = guarded.guarded(forbids('write'));
    expect(await names(again)).toEqual(['read']);
    await expect(again.callTool('erase')).rejects.toMatchObject(refused);
    await expect(again.callTool('write')).rejects.toMatchObject(refused);
    const method: string = 'tools/call';
    for (const name of [['erase'], { toString: () => 'erase' }, undefined]) {
      await expect(guarded.request(method, { name })).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    }
    expect(it.peer.of('tools/call')).toEqual([]);
  });

  test('is the same session: what else is asked goes its way, and it ends with the other', async () => {
    const it = server(era);
    const session = await open(it);
    const guard = forbids();
    const guarded = session.guarded(guard);
    expect(await guarded.request('acme/own')).toMatchObject({ own: true });
    expect(guard.asked).toEqual([]);
    expect(guarded.version).toBe(session.version);
    await guarded.close();
    expect([session.isOpen, await session.closed]).toEqual([false, undefined]);
  });
});

test('what a guard needs counts as part of the call', async () => {
  await using session = await open(server('older'));
  const slow: ToolGuard = {
    list: (tools) => tools,
    call: () => new Promise((resolve) => setTimeout(resolve, 60)),
  };
  const call = session.guarded(slow).callTool('read', {}, { maxTotalMs: 50 });
  await expect(call).rejects.toMatchObject({ code: 'timeout' });
});

test('messages of a guarded session keep their order', async () => {
  const it = server('older');
  await using session = await open(it);
  const guarded = session.guarded(forbids());
  const told = guarded.notify('notifications/roots/list_changed');
  await guarded.ping();
  await told;
  const heard = it.heard.filter((method) => method !== 'initialize');
  expect(heard.slice(-2)).toEqual(['notifications/roots/list_changed', 'ping']);
});
