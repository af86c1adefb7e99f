import * as fc from 'fast-check';
import { browse } from '../auth/authorization-server.mjs';
import type { SessionOptions } from 'mcp-kit/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectHost, type Session, type Speaker } from '../interop/hosts.ts';
import { makeReady } from '../interop/peers.mjs';
import { readyMs } from '../interop/try-features.ts';
import { clientAs, goOn, linkIn, logIn, look, opened, openLoginStage } from './login-stage.ts';

beforeAll(() => makeReady(), readyMs);

const speakers: Readonly<Record<string, Speaker>> = {
  'SDK v1': { sdk: 'v1' },
  'SDK v2, legacy': { sdk: 'v2' },
  'SDK v2, modern': { sdk: 'v2', mode: { pin: '2026-07-28' } },
};

async function hostAs(user: string, url: string, speaker: Speaker): Promise<Session> {
  const as: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('x-user', user);
    return fetch(input, { ...init, headers });
  };
  const session = await connectHost({ kind: 'http', url, fetch: as }, speaker);
  opened.push(() => session.close());
  session.answers['elicitation/create'] = async (asked) => {
    expect(asked['mode']).toBe('url');
    expect(await logIn(String(asked['url']), `account of ${user}`)).toBe(200);
    return { action: 'accept' };
  };
  return session;
}

describe.each(Object.entries(speakers))('a client of %s', (_, speaker) => {
  test('has its user log in when a call needs it, each with their own account', async () => {
    const { url } = await openLoginStage();
    const ann = await hostAs('ann', url, speaker);
    const ben = await hostAs('ben', url, speaker);
    const both = await Promise.all([ann.call('notes__whoami'), ben.call('notes__whoami')]);
    expect(both[0].content[0]?.text).toContain('account of ann');
    expect(both[1].content[0]?.text).toContain('account of ben');
    // Nobody is asked twice.
    expect((await ann.call('notes__whoami')).content[0]?.text).toContain('account of ann');
    expect(ann.asked).toHaveLength(1);
  });

  test('is shown a tool that logs in, and then the tools that there are', async () => {
    const { url, service } = await openLoginStage();
    expect(service.status().servers).toMatchObject([
      { state: 'idle', tools: 0, logins: 0, next: expect.stringContaining('mcpctl login notes') },
    ]);
    const ann = await hostAs('ann', url, speaker);
    const names = async (): Promise<readonly string[]> =>
      (await ann.client.listTools()).tools.map(({ name }) => name).sort();
    expect(await names()).toEqual(['notes__log_in']);
    expect((await ann.call('notes__log_in')).content[0]?.text).toContain('logged in to notes');
    const all = ['notes__read', 'notes__whoami', 'notes__write'];
    await expect.poll(names, { timeout: 60_000 }).toEqual(all);
    // What is listed with the account of one is shown to all: not what may be theirs alone.
    expect((await ann.client.listResources()).resources).toEqual([]);
    const read = await ann.client.readResource({ uri: 'mcp-kit:notes/notes://diary' });
    expect(JSON.stringify(read)).toContain('dear diary');
    expect(service.status().servers[0]).not.toHaveProperty('reason', expect.anything());
  });
});

/** Somebody who logs in wherever they are sent. */
function visitor(): { readonly visits: string[]; readonly inputs: SessionOptions['inputs'] } {
  const visits: string[] = [];
  return {
    visits,
    inputs: {
      async elicitUrl({ url: page }) {
        visits.push(page);
        expect(await logIn(page, 'ann1')).toBe(200);
        return { action: 'accept' };
      },
    },
  };
}

const eras = ['legacy', 'modern'] as const;
const urlOf = (text: string): string => /http:[^ ]+login\?id=[\w-]+/.exec(text)?.[0] ?? '';

describe.each(eras)('a client of ours of the %s era', (era) => {
  test('that cannot send anybody to a page tells the model where to go', async () => {
    const { url, service } = await openLoginStage();
    const ann = await clientAs('ann', url, { era });
    const { content, isError } = await ann.callTool('notes__whoami');
    const said = JSON.stringify(content);
    expect(isError).toBe(true);
    expect(said).toMatch(/notes cannot be used now: your user has to log in to it first, at/);
    expect(service.status().servers).toMatchObject([{ logins: 1 }]);
    expect(await logIn(urlOf(said), 'ann1')).toBe(200);
    const after = await ann.callTool('notes__whoami');
    expect(JSON.stringify(after.content)).toContain('ann1');
    expect(service.status().servers).toMatchObject([{ logins: 0, state: 'ready' }]);
  });

  test('whose user does not want to is told so, and not asked again', async () => {
    const { url, server } = await openLoginStage();
    let asked = 0;
    const inputs: SessionOptions['inputs'] = {
      elicitUrl: () => {
        asked += 1;
        return { action: 'decline' };
      },
    };
    const ann = await clientAs('ann', url, { era, inputs });
    const { content, isError } = await ann.callTool('notes__whoami');
    expect([isError, asked]).toEqual([true, 1]);
    expect(JSON.stringify(content)).toContain('did not want to log in');
    expect(server.tokens.every((token) => token === undefined)).toBe(true);
  });

  test('that uses the server by itself is told where to log in before it can begin', async () => {
    const { url } = await openLoginStage();
    const inputs: SessionOptions['inputs'] = { elicitUrl: () => ({ action: 'decline' }) };
    const opening = clientAs('ann', `${url}/notes`, { era, inputs });
    const { message } = await opening.then(
      () => new Error('let in'),
      (error: Error) => error,
    );
    expect(await logIn(urlOf(message), 'ann1')).toBe(200);
    const ann = await clientAs('ann', `${url}/notes`, { era });
    expect(JSON.stringify((await ann.callTool('whoami')).content)).toContain('ann1');
  });

  test('has more granted when a tool wants more', async () => {
    const { url, server } = await openLoginStage();
    server.writeScopes = ['write'];
    const { visits, inputs } = visitor();
    const ann = await clientAs('ann', url, { era, inputs });
    expect(await ann.callTool('notes__read')).not.toHaveProperty('isError', true);
    expect(await ann.callTool('notes__write')).not.toHaveProperty('isError', true);
    expect(visits).toHaveLength(2);
  });
});

test('a legacy client logs in for what is no call, too, and asks again', async () => {
  const { url, server, store } = await openLoginStage();
  const { visits, inputs } = visitor();
  const all = await clientAs('ann', url, { era: 'legacy', inputs });
  await all.callTool('notes__whoami');
  const ann = await clientAs('ann', `${url}/notes`, { era: 'legacy', inputs });
  // As if somebody had logged her out.
  for (const token of server.tokens) server.revoked.add(token ?? '');
  await store.update(`server ${server.url} ann`, () => undefined);
  const { tools } = await ann.listTools();
  expect(tools).toHaveLength(3);
  expect(visits).toHaveLength(2);
});

test('nobody without a name uses the login of somebody else, but that of the server', async () => {
  const { url, server } = await openLoginStage();
  const ann = await clientAs('ann', url);
  const { content } = await ann.callTool('notes__whoami');
  expect(await logIn(urlOf(JSON.stringify(content)), 'ann1')).toBe(200);
  await ann.callTool('notes__whoami');
  const before = server.callTokens.length;
  const nobody = await clientAs(undefined, url);
  const refused = await nobody.callTool('notes__whoami');
  expect(refused.isError).toBe(true);
  expect(JSON.stringify(refused.content)).toContain('mcpctl login');
  expect(server.callTokens.slice(before).every((token) => token === undefined)).toBe(true);
});

describe('the pages', () => {
  const begin = async () => {
    const stage = await openLoginStage();
    const begun = async (user: string): Promise<string> => {
      const session = await clientAs(user, stage.url);
      const said = JSON.stringify((await session.callTool('notes__whoami')).content);
      expect(said).toMatch(/login\?id=/);
      return urlOf(said);
    };
    return { ...stage, begun };
  };

  test('say who logs in where, and can neither be framed nor run anything', async () => {
    const { begun, as } = await begin();
    const page = await look(await begun('<i>ann</i>'));
    const text = await page.text();
    expect(text).toContain('&#60;i&#62;ann&#60;/i&#62; wants to use notes');
    expect(text).toContain(as.issuer);
    expect(text).not.toMatch(/<i>|script/);
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.getSetCookie()[0]).toMatch(/HttpOnly; SameSite=Lax$/);
  });

  test('let nobody come back but the browser that has gone on, with its own state, once', async () => {
    const { begun, url, server } = await begin();
    const ann = await goOn(await begun('ann'));
    const ben = await goOn(await begun('ben'));
    const back = await browse(ann.page, undefined, 'ann1');
    const foreign = await browse(ben.page, undefined, 'ben1');
    // Another browser, none, that of another login; a state that nobody was given, none, two.
    for (const cookie of ['', ben.cookie, ann.cookie.replace(/=.*/, '=x')]) {
      expect((await look(back, cookie)).status).toBe(404);
    }
    const twice = new URL(back);
    twice.searchParams.append('state', foreign.searchParams.get('state') ?? '');
    const swapped = new URL(back);
    swapped.searchParams.set('state', foreign.searchParams.get('state') ?? '');
    const unknown = new URL(back);
    unknown.searchParams.set('state', 'x');
    for (const place of [twice, swapped, unknown, new URL('login/callback', url)]) {
      expect((await look(place, ann.cookie)).status).toBe(404);
    }
    expect((await look(back, ann.cookie)).status).toBe(200);
    expect((await look(back, ann.cookie)).status).toBe(404);
    // The code of one brought back by the other, with a state that is right.
    const mixed = new URL(back);
    mixed.searchParams.set('state', foreign.searchParams.get('state') ?? '');
    expect((await look(mixed, ben.cookie)).status).toBe(400);
    const session = await clientAs('ben', url);
    expect((await session.callTool('notes__whoami')).isError).toBe(true);
    expect(server.tokens.every((token) => token === undefined)).toBe(true);
  });

  test('lead nobody on who was not shown the first one', async () => {
    const { begun } = await begin();
    const first = await begun('ann');
    const shown = await look(first);
    const link = await linkIn(shown, first);
    const other = await look(first);
    expect((await look(link)).status).toBe(400);
    expect((await look(link, other.cookie)).status).toBe(400);
    // A page of the issuer that somebody was sent leads nowhere without.
    const on = await look(link, shown.cookie);
    expect(on.status).toBe(303);
    const direct = await browse(new URL(on.headers.get('location') ?? ''));
    expect((await look(direct)).status).toBe(404);
    expect((await look(first.replace(/id=.*/, 'id=x'))).status).toBe(404);
  });

  test('say so when the issuer lets nobody in, and so does the next call', async () => {
    const { begun, url, as } = await begin();
    const { page, cookie } = await goOn(await begun('ann'));
    const back = new URL('login/callback', url);
    const state = page.searchParams.get('state') ?? '';
    back.search = String(new URLSearchParams({ error: 'access_denied', state, iss: as.issuer }));
    expect((await look(back, cookie)).status).toBe(400);
    const session = await clientAs('ann', url);
    expect((await session.callTool('notes__whoami')).isError).toBe(true);
  });
});

const runs = Math.min(50, Math.ceil(Number(process.env['PROPERTY_RUNS']) / 100));

test('no token of one is used for another, in whatever order they call, by whatever way, and whatever becomes of tokens', async () => {
  const { url, server } = await openLoginStage();
  const users = ['ann', 'ben', 'Ann'];
  const sessions = await Promise.all(
    users.flatMap((user) =>
      eras.map(async (era) => {
        const inputs: SessionOptions['inputs'] = {
          async elicitUrl({ url: page }) {
            expect(await logIn(page, `account-of-${user}`)).toBe(200);
            return { action: 'accept' };
          },
        };
        const all = await clientAs(user, url, { era, inputs });
        return { user, era, all, inputs };
      }),
    ),
  );
  for (const { all } of sessions) await all.callTool('notes__whoami');
  const alone = await Promise.all(
    sessions.map(({ user, era, inputs }) => clientAs(user, `${url}/notes`, { era, inputs })),
  );
  let served = 0;
  const act = fc.record({
    who: fc.nat(sessions.length - 1),
    isAlone: fc.boolean(),
    revokes: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 8 }), async (acts) => {
      const called = acts.map(async ({ who, isAlone, revokes }) => {
        if (revokes) server.revoked.add(server.tokens.findLast((one) => one !== undefined) ?? '');
        const { user = '', all } = sessions[who] ?? {};
        const result = await (isAlone
          ? alone[who]?.callTool('whoami')
          : all?.callTool('notes__whoami'));
        return { user, text: JSON.stringify(result?.content) };
      });
      for (const { user, text } of await Promise.all(called)) {
        // One that is revoked as soon as it is issued may be refused, and never replaced by that of another.
        const [account = 'none'] = /account-of-\w+/.exec(text) ?? [];
        expect(['none', `account-of-${user}`]).toContain(account);
        if (account !== 'none') served += 1;
      }
    }),
    { numRuns: runs },
  );
  expect(served).toBeGreaterThan(0);
});
