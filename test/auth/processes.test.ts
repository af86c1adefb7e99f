import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, test } from 'vitest';
import { fewer } from '../support/scale.ts';
import { authorizerFor, fileIn, keptIn, ownFolder, person, withServers } from './fixture.ts';

const script = path.join(import.meta.dirname, 'child/caller.mjs');
const processes = fewer(7, 2);
const calls = fewer(50, 5);

async function said(child: ChildProcess): Promise<string> {
  const [word] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(([code]) => [`exit ${String(code)}`]),
  ])) as [string];
  return word;
}

/** Starts the callers, waits until each has called once, then lets all call at the same time; gives what they say. */
async function callFromAll(
  url: string,
  file: string,
  meanwhile: () => Promise<void>,
): Promise<string[]> {
  const children = Array.from({ length: processes }, () =>
    fork(script, [url, file, String(calls)], {
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  );
  try {
    expect(new Set(await Promise.all(children.map(said)))).toEqual(new Set(['ready']));
    await meanwhile();
    const answers = children.map(said);
    for (const child of children) child.send('go');
    return await Promise.all(answers);
  } finally {
    for (const child of children) child.kill('SIGKILL');
  }
}

test.each(['ends', 'is refused'])(
  `${calls} calls in each of ${processes} processes, when the token %s, make one refresh`,
  async (how) => {
    await withServers(
      async ({ as, server }) => {
        await using folder = await ownFolder();
        const auth = authorizerFor(server, {
          store: await fileIn(folder.path),
          interact: person(),
        });
        await auth.login();
        as.state.lifeSeconds = 3600;
        const { accessToken, expiresAt } = await keptIn(folder.path, `server ${server.url}`);
        const file = path.join(folder.path, 'credentials.json');
        const answers = await callFromAll(server.url, file, async () => {
          if (how === 'is refused') server.revoked.add(String(accessToken));
          else await new Promise((resolve) => setTimeout(resolve, Number(expiresAt) - Date.now()));
        });
        expect(answers).toEqual(Array.from({ length: processes }, () => 'done'));
        expect(as.counts).toMatchObject({ refresh_token: 1, authorization_code: 1, refused: 0 });
      },
      { lifeSeconds: how === 'ends' ? 4 : 3600 },
    );
  },
  90_000,
);
