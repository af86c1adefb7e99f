import type { SessionOptions } from 'mcp-kit/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientFeatures, type Ability } from './client-features.ts';
import {
  commands,
  startServer,
  type CommandName,
  type ProgramName,
  type RunningServer,
} from './client-servers.ts';
import { converse, type Conversation } from './client-session.ts';
import { sample } from '../support/scale.ts';
import { makeReady } from './peers.mjs';
import { readyMs } from './try-features.ts';

beforeAll(makeReady, readyMs);

interface Row {
  readonly over: { readonly stdio: CommandName } | { readonly http: ProgramName };
  readonly era: 'legacy' | 'modern';
  /** To ask for the legacy era where the server has both. */
  readonly forced?: SessionOptions['era'];
  readonly lacks?: readonly Ability[];
}

/** A request of its own server each: what does not belong to it has nowhere to go. */
const perRequest: readonly Ability[] = ['asks', 'tells', 'notices'];

const rows: readonly Row[] = [
  { over: { stdio: 'SDK v1' }, era: 'legacy' },
  { over: { http: 'SDK v1 with sessions' }, era: 'legacy' },
  {
    over: { http: 'SDK v1 with sessions, answering in JSON' },
    era: 'legacy',
    lacks: ['asks', 'reports'],
  },
  {
    over: { http: 'SDK v1 without sessions' },
    era: 'legacy',
    lacks: [...perRequest, 'logs'],
  },
  { over: { http: 'SDK v1 with two endpoints' }, era: 'legacy' },
  { over: { http: 'SDK v1 with two endpoints, found by falling back' }, era: 'legacy' },
  { over: { stdio: 'SDK v2' }, era: 'modern' },
  { over: { stdio: 'SDK v2' }, era: 'legacy', forced: 'legacy' },
  { over: { stdio: 'SDK v2 of the newest era only' }, era: 'modern' },
  { over: { http: 'SDK v2' }, era: 'modern' },
  { over: { http: 'SDK v2' }, era: 'legacy', forced: 'legacy', lacks: perRequest },
  { over: { http: 'SDK v2 of the newest era only' }, era: 'modern', forced: 'modern' },
];

for (const [turn, { over, era, forced = 'auto', lacks = [] }] of rows.entries()) {
  const [[wire, name] = []] = Object.entries(over);
  const offered = clientFeatures.filter(
    (feature) =>
      (feature.era ?? era) === era &&
      (feature.needs === undefined || !lacks.includes(feature.needs)),
  );
  const { tried, share } = sample(offered, 3, turn);
  describe(`With ${name} over ${wire}, era ${forced}, ${share} tried:`, () => {
    let server: RunningServer | undefined;
    let conversation: Conversation | undefined;

    beforeAll(async () => {
      if ('http' in over) server = await startServer(over.http);
      const target = 'stdio' in over ? commands[over.stdio]() : server?.target;
      if (target !== undefined) conversation = await converse(target, { era: forced });
    });
    afterAll(async () => {
      await conversation?.[Symbol.asyncDispose]();
      await server?.[Symbol.asyncDispose]();
    });

    test(`the era is found to be ${era}`, () => {
      expect(conversation?.session).toMatchObject({
        era,
        version: era === 'modern' ? '2026-07-28' : '2025-11-25',
      });
    });

    test.each(tried.map(({ name: title, run }) => [title, run] as const))(
      '%s',
      async (_title, run) => {
        if (conversation === undefined) throw new Error('not connected');
        await run(conversation);
        expect(conversation.session.stats).toMatchObject({ malformed: 0, handshakes: 1 });
      },
    );
  });
}
