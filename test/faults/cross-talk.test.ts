import { expect, test } from 'vitest';
import { RawHttp, requestBytes } from './lib/raw-http.ts';
import { ServerProcess } from './lib/server-process.ts';
import { messagesOf, modernCall, openSession, toolCall, type Session } from './lib/wire.ts';
import { scaled } from '../support/scale.ts';

const clients = 200;
const callsPerClient = scaled(500);
/** Connections of one client, whose calls overlap. */
const lanes = 2;

/** What one client saw that was not its own. */
async function talk(port: number, who: number): Promise<string[]> {
  using http = new RawHttp(port);
  const session = who % 2 === 0 ? await openSession(http) : undefined;
  const seen = await Promise.all(
    Array.from({ length: lanes }, (_, lane) => talkOn(port, { who, lane, session })),
  );
  return seen.flat();
}

async function talkOn(
  port: number,
  { who, lane, session }: { who: number; lane: number; session: Session | undefined },
): Promise<string[]> {
  using http = new RawHttp(port);
  const wrong: string[] = [];
  for (let id = lane; id < callsPerClient; id += lanes) {
    const nonce = `${who}/${id}`;
    const args = { nonce, delayMs: id % 3 === 0 ? 1 + Math.random() * 4 : 0, aloud: id % 10 === 0 };
    const bytes =
      session === undefined
        ? modernCall(id, 'echo', args)
        : requestBytes({ headers: session.headers, body: toolCall(id, 'echo', args) });
    const messages = messagesOf(await http.exchange(bytes));
    const seen = messages.map((message) => JSON.stringify(message));
    const answer = messages.at(-1);
    const mine = answer?.['id'] === id && seen.every((text) => text.includes(`"${nonce}"`));
    if (!mine || seen.length !== (args.aloud ? 2 : 1)) wrong.push(`${nonce}: ${seen.join()}`);
  }
  return wrong;
}

test('200 clients of both eras use the same ids at the same time, and each gets its own answers only', async () => {
  await using server = await ServerProcess.start();
  const seen = await Promise.all(
    Array.from({ length: clients }, (_, who) => talk(server.port, who)),
  );
  expect(seen.flat()).toEqual([]);
  expect(server.ended).toBeUndefined();
});
