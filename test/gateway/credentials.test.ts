import * as fc from 'fast-check';
import { openSession } from 'mcp-kit/client';
import { createServer } from 'mcp-kit/server';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { expect, test } from 'vitest';
import { toolsNamed } from './memory.ts';
import { start, use } from './opened.ts';

const eras = ['legacy', 'modern'] as const;

/** A server over HTTP that remembers every header it was sent. */
async function remembering() {
  const seen: string[] = [];
  const server = createServer({ name: 'back', version: '1', features: [toolsNamed('look')] });
  const listening = await serveHttp(server, {
    identify: (headers) => {
      seen.push(JSON.stringify(headers));
      return undefined;
    },
  });
  use({ [Symbol.asyncDispose]: () => listening.close() });
  return { url: listening.url, seen };
}

const secret = fc.stringMatching(/^[a-z0-9]{24}$/);
const name = fc.constantFrom(
  'authorization',
  'cookie',
  'x-api-key',
  'proxy-authorization',
  'x-forwarded-user',
  'x-auth-token',
  'baggage',
);
const headers = fc.dictionary(name, secret, { minKeys: 1, maxKeys: 4 });
const party = fc.record({ headers, era: fc.constantFrom(...eras) });

test('what a server or a client is known by is shown to no other server, whatever headers there are', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(headers, headers),
      fc.array(party, { minLength: 1, maxLength: 3 }),
      async (ofServers, clients) => {
        const backs = [await remembering(), await remembering()];
        const [one, two] = backs.map(({ url }, at) =>
          httpTarget(url, { headers: ofServers[at] ?? {} }),
        );
        if (one === undefined || two === undefined) throw new Error('no servers');
        const service = start({ one, two });
        const front = await serveHttp(service, {
          identify: ({ authorization }) => String(authorization),
        });
        use({ [Symbol.asyncDispose]: () => front.close() });
        for (const { headers: given, era } of clients) {
          await using session = await openSession(httpTarget(front.url, { headers: given }), {
            era,
          });
          for (const server of ['one', 'two']) await session.callTool(`${server}__look`);
        }
        const secretsOf = (all: readonly object[]): string[] =>
          all.flatMap((each) => Object.values(each).map(String));
        for (const [at, { seen }] of backs.entries()) {
          const own = secretsOf([ofServers[at] ?? {}]);
          const others = secretsOf([
            ofServers[1 - at] ?? {},
            ...clients.map((client) => client.headers),
          ]);
          const leaked = others.filter((value) => seen.some((text) => text.includes(value)));
          expect(leaked.filter((value) => !own.includes(value))).toEqual([]);
          expect(own.every((value) => seen.some((text) => text.includes(value)))).toBe(true);
        }
      },
    ),
    { numRuns: 6 },
  );
});
