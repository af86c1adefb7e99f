import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changeFeatures } from './features-changes.ts';
import { contentFeatures } from './features-content.ts';
import { inputFeatures } from './features-inputs.ts';
import { toolFeatures, type FeatureCase } from './features-tools.ts';
import { connectHost, type Session, type Speaker } from './hosts.ts';
import { sample } from '../support/scale.ts';
import { makeReady } from './peers.mjs';
import { openPlace, type OpenPlace, type Wire } from './places.ts';

/** One client on one kind of wire. */
export interface Row {
  readonly over: Wire;
  readonly speaker: Speaker;
  readonly speaks: string;
}

const features = [...toolFeatures, ...inputFeatures, ...contentFeatures, ...changeFeatures];

/** Installing and building, when needed, take longer than any test. */
export const readyMs = 300_000;

/** Tries every feature with every client; where somebody waits, each client tries a third of them, the next one another. */
export function tryFeatures(name: string, rows: readonly Row[]): void {
  beforeAll(makeReady, readyMs);

  for (const [turn, { over, speaker, speaks }] of rows.entries()) {
    const modern = speaker.mode !== undefined && speaker.mode !== 'legacy';
    const era = modern ? 'modern' : 'legacy';
    const offered = features.filter((feature) => (feature.era ?? era) === era);
    const { tried, share } = sample(offered, 3, turn);
    describe(`${name} finds over ${over}, speaking ${speaks}, ${share} tried, that`, () => {
      tryAll(over, speaker, tried);
    });
  }
}

/**
 * Both SDKs come back for the stream of a call they have cancelled themselves, and say so when it is no longer kept.
 * That the streams they need can be opened is seen by what arrives on them.
 */
function isComplaint({ message }: Error): boolean {
  return !/Failed to (?:open|reconnect) SSE stream|Maximum reconnection attempts/.test(message);
}

function tryAll(over: Wire, speaker: Speaker, tried: readonly FeatureCase[]): void {
  let open: OpenPlace | undefined;
  let session: Session | undefined;

  beforeAll(async () => {
    open = await openPlace(over);
    session = await connectHost(open.place, speaker);
  });
  afterAll(async () => {
    await session?.close();
    await open?.[Symbol.asyncDispose]();
  });

  test.each(tried.map(({ name, run }) => [name, run] as const))('%s', async (_name, run) => {
    if (session === undefined) throw new Error('not connected');
    session.errors.length = 0;
    await run(session);
    expect(session.errors.filter(isComplaint)).toEqual([]);
  });
}
