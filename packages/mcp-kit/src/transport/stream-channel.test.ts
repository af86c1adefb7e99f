import { Buffer } from 'node:buffer';
import { PassThrough } from 'node:stream';
import { describe, expect, test, vi } from 'vitest';
import { Connection, Encoded, type Handlers, type Sink } from '#jsonrpc';
import { StreamChannel, type StreamChannelOptions } from './stream-channel.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** A sink that remembers. */
function recorder() {
  const seen = { messages: [] as unknown[], malformed: [] as string[], ended: 0 };
  const closed = vi.fn<Sink['closed']>();
  const sink: Sink = {
    deaf: false,
    message: (value) => seen.messages.push(value),
    malformed: (_code, reason) => seen.malformed.push(reason),
    skipped: () => {},
    lost: () => {},
    failed: () => {},
    released: () => {},
    ended: () => seen.ended++,
    closed,
  };
  return { ...seen, seen, sink, closed };
}

/** A channel on two pipes whose other ends are the test's. */
function open(options: StreamChannelOptions = {}) {
  const input = new PassThrough();
  const output = new PassThrough({ highWaterMark: 16 });
  const channel = new StreamChannel(input, output, options);
  return { input, output, channel };
}

const serving = (request: Handlers['request']): Handlers => ({
  request,
  notification: () => {},
  acceptsBatch: () => false,
  closed: () => {},
});

describe('a stream channel', () => {
  test('writes one line per message and reads one message per line', async () => {
    const { input, output, channel } = open();
    const { sink, seen } = recorder();
    channel.start(sink);
    channel.send('{"a":1}');
    channel.reply('{"b":2}');
    input.write('{"c":3}\n{"d"');
    input.write(':4}\nnonsense\n');
    await turn();
    expect(String(output.read())).toBe('{"a":1}\n{"b":2}\n');
    expect(seen.messages).toEqual([{ c: 3 }, { d: 4 }]);
    expect(seen.malformed).toEqual(['Parse error: not JSON']);
    await channel.close();
  });

  test('writes no character that others take for the end of a line', async () => {
    const { output, channel } = open();
    let written = '';
    output.on('data', (piece: Buffer) => (written += String(piece)));
    const said = { text: 'one\u2028two\u2029three\n\u0085' };
    channel.start(recorder().sink);
    channel.send(JSON.stringify(said));
    const [head, tail] = ['{"id":1,"result":', '}'];
    const kept = new Encoded(JSON.stringify({ said, more: 'x'.repeat(40_000) }), undefined, true);
    const parts = [head, kept.bytes ?? new Uint8Array(), tail] as const;
    channel.reply(head + kept.json + tail, { parts });
    await channel.close();
    expect(written.split(/[\n\r\u2028\u2029]/)).toHaveLength(3);
    expect(written.split('\n').map((line) => line && JSON.parse(line))).toMatchObject([
      said,
      { result: { said } },
      '',
    ]);
  });

  test('delivers a last line that lacks its newline, then says that no more will come', async () => {
    const { input, channel } = open();
    const { sink, seen, closed } = recorder();
    channel.start(sink);
    input.end('{"last":1}');
    await expect.poll(() => seen.ended).toBe(1);
    expect(seen.messages).toEqual([{ last: 1 }]);
    expect(closed).not.toHaveBeenCalled();
    await channel.close();
    expect(closed).toHaveBeenCalledTimes(1);
  });

  test('stops reading while its peer does not read, and goes on where it stopped', async () => {
    const { input, output, channel } = open({ highWaterBytes: 10_000 });
    let served = 0;
    const connection = new Connection(channel, () =>
      serving(() => {
        served++;
        return { text: 'x'.repeat(1000) };
      }),
    );
    const lines = Array.from(
      { length: 1000 },
      (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"m"}\n`,
    );
    // All in one piece: even what has arrived already must wait.
    input.write(lines.join(''));
    await turn();
    expect(served).toBeLessThan(150);
    expect(output.writableLength).toBeLessThan(150_000);
    const heard: number[] = [];
    let rest = '';
    output.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) heard.push((JSON.parse(part) as { id: number }).id);
    });
    await expect.poll(() => heard).toHaveLength(1000);
    expect(heard).toEqual(lines.map((_, id) => id));
    await connection.close();
  });

  test('tells a sender to wait, and takes no more from one that does not', async () => {
    const { output, channel } = open({ highWaterBytes: 1000 });
    channel.start(recorder().sink);
    const text = JSON.stringify('x'.repeat(498));
    const sent = Array.from({ length: 20 }, () => channel.send(text));
    expect(sent.slice(0, 2)).toEqual(['sent', 'sent']);
    expect(sent.at(3)).toBe('full');
    expect(sent.at(-1)).toBe('dropped');
    let room = false;
    const drained = channel.drained().then(() => (room = true));
    await turn();
    expect(room).toBe(false);
    output.resume();
    await drained;
    expect(channel.send(text)).toBe('sent');
    await channel.close();
  });

  test('closes once, after what was sent before has been written', async () => {
    const { output, channel } = open();
    const { sink, closed } = recorder();
    channel.start(sink);
    channel.reply('{"last":1}');
    const closing = [channel.close(), channel.close()];
    channel.reply('{"late":1}');
    expect(channel.send('{"late":2}')).toBe('dropped');
    const text: string[] = [];
    output.setEncoding('utf8').on('data', (part: string) => text.push(part));
    await Promise.all(closing);
    await channel.close();
    expect(text.join('')).toBe('{"last":1}\n');
    expect(closed).toHaveBeenCalledTimes(1);
  });

  test('closes although its peer reads nothing', async () => {
    const { output, channel } = open();
    channel.start(recorder().sink);
    channel.reply(JSON.stringify('x'.repeat(100_000)));
    await channel.close();
    expect(output.destroyed).toBe(true);
  });

  test('survives an error that comes before anybody listens, and tells it to whoever starts', () => {
    const { input, output, channel } = open();
    const error = new Error('reset');
    input.emit('error', error);
    output.emit('error', new Error('second'));
    const { sink, closed } = recorder();
    channel.start(sink);
    expect(closed).toHaveBeenCalledExactlyOnceWith(error);
    expect(channel.send('{}')).toBe('dropped');
  });

  test('lets go of a sender that waits for room when the connection ends', async () => {
    const { input, channel } = open({ highWaterBytes: 10 });
    const { sink, closed } = recorder();
    channel.start(sink);
    for (let at = 0; at < 3; at++) channel.send(JSON.stringify('x'.repeat(100)));
    await turn();
    const drained = channel.drained();
    input.destroy(new Error('reset'));
    await drained;
    expect(closed).toHaveBeenCalledTimes(1);
  });

  test('delivers nothing after its end, not even what had arrived in the same piece', async () => {
    const { input, channel } = open();
    const served: unknown[] = [];
    const connection: Connection = new Connection(channel, () =>
      serving(({ message: request }) => {
        served.push(request.id);
        void connection.close();
        return {};
      }),
    );
    input.write(
      Buffer.from('{"jsonrpc":"2.0","id":1,"method":"m"}\n{"jsonrpc":"2.0","id":2,"method":"m"}\n'),
    );
    await turn();
    expect(served).toEqual([1]);
    expect(connection.open).toBe(false);
  });
});
