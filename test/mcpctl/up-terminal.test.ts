import { openSession, type Session, type SessionOptions } from 'mcp-kit/client';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Child } from '../support/child-process.ts';
import { requireBuild } from '../support/cli.ts';
import { FreshUser, hasTerminal } from '../support/fresh-user.ts';
import { samples } from '../support/project.ts';

beforeAll(requireBuild);

const config = {
  version: 1,
  servers: { demo: { transport: 'stdio', argv: samples } },
  gateway: { policy: [{ decision: 'ask', tools: ['find_*'], reason: 'look first' }] },
};

/** Settles when a terminal has shown this, so often. */
const seen = (child: Child, text: string, times = 1): Promise<true> =>
  child.until(() => child.stdout.split(text).length > times || undefined);

const type = (child: Child, text: string): void => void child.process.stdin.write(text);

const question = 'Allow the tool find_text_matches of demo?';

/** Calls a tool about which somebody has to be asked. */
const find = (session: Session, phrase: string): ReturnType<Session['callTool']> =>
  session.callTool('demo__find_text_matches', { text: 'to be or not to be', phrase });

async function begin(user: FreshUser): Promise<{ child: Child; url: string }> {
  const child = user.terminal('mcpctl up --port 0 --trust --yes-trust --no-color');
  const url = await child.until(() => /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(child.stdout)?.[0]);
  return { child, url };
}

const clientOf = (url: string, options: SessionOptions = {}): Promise<Session> =>
  openSession(httpTarget(url), { era: 'legacy', ...options });

// Nothing else here can make a terminal.
describe.skipIf(!hasTerminal)('a person at the terminal of mcpctl up', () => {
  test('is asked where the client cannot ask, one thing after the other, and the answers count', async () => {
    using user = new FreshUser({ 'mcp.json': config });
    const { child, url } = await begin(user);
    await using _child = child;
    await using session = await clientOf(url);
    const first = find(session, 'be');
    await seen(child, question);
    expect(child.stdout).toContain('Arguments: {"text":"to be or not to be","phrase":"be"}');
    expect(child.stdout).toContain('The rule says: look first');
    // The next one waits until this is answered.
    const second = find(session, 'or');
    type(child, 'y\r');
    expect(await first).not.toHaveProperty('isError', true);
    await seen(child, question, 2);
    expect(child.stdout).toContain('"phrase":"or"');
    type(child, 'n\r');
    expect(await second).toMatchObject({
      isError: true,
      _meta: { 'mcp-kit/policy': { decision: 'ask' } },
    });
    // For as long as the client stays, and for no other.
    const third = find(session, 'not');
    await seen(child, question, 3);
    type(child, 'a\r');
    expect(await third).not.toHaveProperty('isError', true);
    expect(await find(session, 'to')).not.toHaveProperty('isError', true);
    await using other = await clientOf(url);
    const fourth = find(other, 'be');
    await seen(child, question, 4);
    // Whatever is not a clear yes is none.
    type(child, 'sure\r');
    expect(await fourth).toMatchObject({ isError: true });
    expect(child.stdout.split(question)).toHaveLength(5);
    type(child, '\u0003');
    expect(await child.ended).toMatchObject({ code: expect.any(Number) });
  });

  test('has answered nothing by what was typed before it was asked', async () => {
    using user = new FreshUser({ 'mcp.json': config });
    const { child, url } = await begin(user);
    await using _child = child;
    type(child, 'y\ry\r');
    // The terminal has taken it once it has shown it.
    await seen(child, 'y\r\ny\r\n');
    await using session = await clientOf(url);
    const called = find(session, 'be');
    await seen(child, question);
    await seen(child, '[y: once');
    type(child, 'n\r');
    expect(await called).toMatchObject({ isError: true });
  });

  test('is told of a policy that cannot be read: it denies everything, and as it was while it runs', async () => {
    using user = new FreshUser({ 'mcp.json': '{ "version": 1, "gateway": {' });
    const { servers } = config;
    user.project.write('../home/.config/mcp-kit/mcp.json', { version: 1, servers });
    const { child, url } = await begin(user);
    await using _child = child;
    expect(child.stdout).toContain('nothing may be used until that is right');
    await using session = await clientOf(url);
    expect(await find(session, 'be')).toMatchObject({ isError: true });
    const rules = [{ decision: 'deny', tools: ['find_*'] }];
    user.project.write('mcp.json', { version: 1, gateway: { policy: rules } });
    await expect
      .poll(() => session.callTool('demo__get_time_now'), { timeout: 60_000 })
      .not.toHaveProperty('isError', true);
    user.project.write('mcp.json', '{ "version": 1, "gateway": {');
    await seen(child, 'what was read before still counts');
    expect(await find(session, 'be')).toMatchObject({ isError: true });
    expect(await session.callTool('demo__get_time_now')).not.toHaveProperty('isError', true);
  });
});
