import { createDeferred } from 'mcp-kit/internal';
import { expect } from 'vitest';
import type { FeatureCase } from './features-tools.ts';
import { textOf, type Session } from './hosts.ts';

/** Runs with other answers than usual, and puts the usual ones back. */
async function answering(
  session: Session,
  answers: Session['answers'],
  run: () => Promise<void>,
): Promise<void> {
  const usual = { ...session.answers };
  Object.assign(session.answers, answers);
  try {
    await run();
  } finally {
    Object.assign(session.answers, usual);
  }
}

export const inputFeatures: readonly FeatureCase[] = [
  {
    name: 'the user is asked, and the answer arrives',
    since: '2025-06-18',
    async run(session) {
      session.asked.length = 0;
      expect(textOf(await session.call('ask_name'))).toBe('name=Ada');
      expect(session.asked).toHaveLength(1);
      expect(session.asked[0]).toMatchObject({
        method: 'elicitation/create',
        params: { message: 'What is your name?', requestedSchema: { required: ['name'] } },
      });
    },
  },
  {
    name: 'the user may decline or cancel',
    since: '2025-06-18',
    async run(session) {
      for (const action of ['decline', 'cancel']) {
        await answering(session, { 'elicitation/create': () => ({ action }) }, async () => {
          expect(textOf(await session.call('ask_name'))).toBe(action);
        });
      }
    },
  },
  {
    name: 'a second question may depend on the first answer',
    since: '2025-06-18',
    async run(session) {
      session.asked.length = 0;
      expect(textOf(await session.call('ask_in_turn'))).toBe('name=Ada colour=blue true');
      expect(session.asked.map(({ params }) => params['message'])).toEqual([
        'What is your name?',
        'Your colour, Ada?',
      ]);
    },
  },
  {
    name: "the client's model is asked",
    async run(session) {
      session.asked.length = 0;
      expect(textOf(await session.call('sample'))).toBe('test-model: a thought');
      expect(session.asked[0]).toMatchObject({
        method: 'sampling/createMessage',
        params: {
          maxTokens: 100,
          messages: [{ role: 'user', content: { type: 'text', text: 'Say something.' } }],
        },
      });
    },
  },
  {
    name: 'the user is sent to a web address',
    since: '2025-11-25',
    async run(session) {
      session.asked.length = 0;
      expect(textOf(await session.call('ask_visit'))).toBe('accept');
      const { params } = session.asked[0] ?? {};
      expect(params).toMatchObject({ mode: 'url', url: 'https://example.com/agree' });
      expect('elicitationId' in (params ?? {})).toBe(session.era === 'legacy');
    },
  },
  {
    name: 'a client that refuses to answer makes the call fail, and not more',
    era: 'legacy',
    run: (session) => {
      const refuse = () => {
        throw Object.assign(new Error('User rejected sampling request'), { code: -1 });
      };
      return answering(session, { 'sampling/createMessage': refuse }, async () => {
        const result = await session.call('sample');
        expect(result.isError).toBe(true);
        expect(textOf(result)).toMatch(/^E_PRECONDITION_FAILED: .*User rejected/);
      });
    },
  },
  {
    name: 'a question is withdrawn when the call it belongs to is cancelled',
    era: 'legacy',
    since: '2025-06-18',
    run: (session) => {
      const abort = new AbortController();
      const withdrawn = createDeferred<void>();
      const hesitate = (_params: object, signal: AbortSignal | undefined) =>
        new Promise((resolve) => {
          signal?.addEventListener('abort', () => {
            withdrawn.resolve();
            resolve({ action: 'cancel' });
          });
          abort.abort();
        });
      return answering(session, { 'elicitation/create': hesitate }, async () => {
        const call = session.call('ask_name', {}, { signal: abort.signal });
        await expect(call).rejects.toThrow(/abort/i);
        await withdrawn.promise;
      });
    },
  },
  {
    name: 'the client says where it works',
    async run(session) {
      expect(textOf(await session.call('list_roots'))).toBe('work file:///work');
    },
  },
  {
    name: 'all kinds of input are asked for at once',
    since: '2025-06-18',
    async run(session) {
      session.asked.length = 0;
      expect(textOf(await session.call('ask_everything'))).toBe('name=Ada a thought file:///work');
      expect(session.asked.map(({ method }) => method).sort()).toEqual([
        'elicitation/create',
        'roots/list',
        'sampling/createMessage',
      ]);
    },
  },
  {
    name: 'twenty calls ask at once and get their own answers',
    since: '2025-06-18',
    run: (session) => {
      let asked = 0;
      const next = () => ({ action: 'accept', content: { name: `user ${asked++}` } });
      return answering(session, { 'elicitation/create': next }, async () => {
        const calls = Array.from({ length: 20 }, () => session.call('ask_name'));
        const names = (await Promise.all(calls)).map(textOf);
        expect(new Set(names).size).toBe(20);
      });
    },
  },
  {
    name: 'a resource may ask before it is read',
    since: '2025-06-18',
    async run(session) {
      const { contents } = await session.client.readResource({ uri: 'memo://personal' });
      expect(contents).toEqual([{ uri: 'memo://personal', text: 'the memo of Ada' }]);
    },
  },
];
