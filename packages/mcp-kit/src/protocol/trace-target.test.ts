import { expect, test } from 'vitest';
import { silentLogger } from '#base';
import type { Channel, Sent, Sink } from '#jsonrpc';
import { traceTarget, watchUnreadable, type Target } from './index.ts';

/** A channel that does what a test says, and the target that leads to it. */
function scripted(channel: Partial<Channel> = {}) {
  const sinks: Sink[] = [];
  const target: Target = {
    label: 'scripted',
    key: 'the key',
    wire: 'stream',
    dial: () => ({
      start: (sink) => sinks.push(sink),
      send: () => 'sent',
      tell: () => undefined,
      reply: () => {},
      letGo: () => false,
      lastWords: () => '',
      drained: () => Promise.resolve(),
      close: () => Promise.resolve(),
      ...channel,
    }),
  };
  return { target, sinks };
}

const deaf: Sink = {
  deaf: true,
  message: () => {},
  malformed: () => {},
  skipped: () => {},
  lost: () => {},
  failed: () => {},
  released: () => {},
  ended: () => {},
  closed: () => {},
};

test('what was not taken was not said', async () => {
  const outcomes: Sent[] = ['sent', 'full', 'dropped'];
  const heard: unknown[] = [];
  const { target } = scripted({ send: (text) => outcomes[Number(text)] ?? 'dropped' });
  const channel = await traceTarget(target, (way, message) => heard.push([way, message])).dial();
  expect(['0', '1', '2'].map((text) => channel.send(text))).toEqual(outcomes);
  channel.reply(undefined);
  channel.reply('[3]');
  expect(heard).toEqual([
    ['sent', 0],
    ['sent', 1],
    ['sent', [3]],
  ]);
});

test('every call passes through with all that belongs to it', async () => {
  const calls: unknown[] = [];
  const note =
    (name: string) =>
    (...args: readonly unknown[]): void =>
      void calls.push([name, ...args]);
  const { target, sinks } = scripted({
    send: (...args) => (note('send')(...args), 'sent'),
    tell: async (...args) => note('tell')(...args),
    reply: note('reply'),
    letGo: () => (note('letGo')(), true),
    lastWords: () => 'the last',
    drained: async (origin) => note('drained')(origin),
    close: async () => note('close')(),
  });
  const channel = await traceTarget(target, () => {}).dial();
  const origin = {};
  const options = { origin, message: { jsonrpc: '2.0', method: 'x' } } as const;
  channel.start({
    deaf: true,
    message: note('message'),
    malformed: note('malformed'),
    skipped: note('skipped'),
    lost: note('lost'),
    failed: note('failed'),
    released: note('released'),
    ended: note('ended'),
    closed: note('closed'),
  });
  channel.send('1', options);
  channel.reply('2', options);
  await channel.tell('3', options);
  expect([channel.letGo(), channel.lastWords()]).toEqual([true, 'the last']);
  await channel.drained(origin);
  const [sink] = sinks;
  const error = new Error('gone');
  expect(sink?.deaf).toBe(true);
  sink?.message(6, origin, 9);
  sink?.malformed(7, 'reason', 'sample');
  sink?.skipped('head', 'tail');
  sink?.lost('id', error);
  sink?.failed(error);
  sink?.released('id', 8);
  sink?.ended();
  sink?.closed(error);
  await channel.close();
  expect(calls).toEqual([
    ['send', '1', options],
    ['reply', '2', options],
    ['tell', '3', options],
    ['letGo'],
    ['drained', origin],
    ['message', 6, origin, 9],
    ['malformed', 7, 'reason', 'sample'],
    ['skipped', 'head', 'tail'],
    ['lost', 'id', error],
    ['failed', error],
    ['released', 'id', 8],
    ['ended'],
    ['closed', error],
    ['close'],
  ]);
});

test('what came and is no message is heard as such', async () => {
  const heard: unknown[] = [];
  const { target, sinks } = scripted();
  const channel = await traceTarget(target, (way, message) => heard.push([way, message])).dial();
  channel.start(deaf);
  sinks[0]?.malformed(-32700, 'Parse error', 'Ready.');
  expect(heard).toEqual([['unreadable', { reason: 'Parse error', sample: 'Ready.' }]]);
});

test('what a channel cannot tell is not heard: it is sent instead', async () => {
  const heard: unknown[] = [];
  const { target } = scripted();
  const channel = await traceTarget(target, (way, message) => heard.push([way, message])).dial();
  expect(channel.tell('1', {})).toBeUndefined();
  expect(heard).toEqual([]);
});

test('a listener that throws disturbs nobody, and is reported', async () => {
  const reports: string[] = [];
  const logger = { ...silentLogger, error: (text: string) => void reports.push(text) };
  const { target, sinks } = scripted();
  const listener = (): never => {
    throw new Error('oops');
  };
  const channel = await traceTarget(target, listener, logger).dial();
  const messages: unknown[] = [];
  channel.start({ ...deaf, message: (value) => messages.push(value) });
  expect(channel.send('1')).toBe('sent');
  sinks[0]?.message(2);
  expect(messages).toEqual([2]);
  expect(reports).toHaveLength(2);
  expect(reports[0]).toContain('oops');
});

test('it is the same server to everybody else, and so is where it leads', async () => {
  const heard: unknown[] = [];
  const { target } = scripted();
  const fallback: Target = { ...scripted().target, label: 'second way', wire: 'http' };
  const traced = traceTarget({ ...target, fallback }, (way, message) => heard.push([way, message]));
  expect(traced).toMatchObject({ label: 'scripted', key: 'the key', wire: 'stream' });
  expect(traced.fallback).toMatchObject({ label: 'second way', wire: 'http' });
  (await traced.fallback?.dial())?.send('1');
  expect(heard).toEqual([['sent', 1]]);
  expect(traceTarget(target, () => {}).fallback).toBeUndefined();
});

test('conversations are told apart', async () => {
  const heard: number[] = [];
  const target = traceTarget(scripted().target, (_way, _message, number) => heard.push(number));
  const [one, other] = [await target.dial(), await target.dial()];
  for (const channel of [one, other, one]) channel.send('1');
  const [first, second, third] = heard;
  expect(third).toBe(first);
  expect(second).not.toBe(first);
});

test('who only wants what cannot be read hears nothing else, by any way', async () => {
  const { target, sinks } = scripted();
  const heard: unknown[] = [];
  const watched = watchUnreadable({ ...target, fallback: target }, (what) => heard.push(what));
  for (const way of [watched, watched.fallback]) (await way?.dial())?.start(deaf);
  for (const sink of sinks) {
    sink.message({});
    sink.malformed(-32700, 'Parse error', 'Ready.');
  }
  const what = { reason: 'Parse error', sample: 'Ready.' };
  expect(heard).toEqual([what, what]);
});
