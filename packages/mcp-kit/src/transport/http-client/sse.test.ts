import { Buffer } from 'node:buffer';
import { describe, expect, test } from 'vitest';
import { parseSse, SseReader, type SseEvent } from './sse.ts';

type Said =
  | { readonly event: string; readonly data: string }
  | { readonly id: string }
  | { readonly retry: number }
  | { readonly oversized: string };

interface Reading {
  readonly maxBytes?: number;
  /** Whether the stream is complete afterwards. */
  readonly ended?: boolean;
}

function read(pieces: readonly (string | Uint8Array)[], options: Reading = {}): Said[] {
  const said: Said[] = [];
  const reader = new SseReader(options.maxBytes ?? 1000, {
    event: (event, data) => said.push({ event, data: data.toString() }),
    position: (id) => said.push({ id }),
    retry: (retry) => said.push({ retry }),
    oversized: (oversized) => said.push({ oversized }),
  });
  for (const piece of pieces) reader.push(Buffer.from(piece));
  if (options.ended === true) reader.end();
  return said;
}

const message = (data: string): Said => ({ event: 'message', data });

describe('an event stream', () => {
  const table: readonly (readonly [string, string, readonly Said[]])[] = [
    ['ends events with a blank line', 'data: a\n\ndata: b\n\n', [message('a'), message('b')]],
    ['may end its lines with CR', 'data: a\r\rdata: b\r\r', [message('a'), message('b')]],
    ['may end its lines with CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n', [message('a'), message('b')]],
    ['may mix line ends', 'data: a\r\ndata: b\rdata: c\n\r\n', [message('a\nb\nc')]],
    ['may begin with a byte order mark', '\uFEFFdata: a\n\n', [message('a')]],
    ['joins lines of data', 'data: a\ndata:\ndata: c\n\n', [message('a\n\nc')]],
    ['drops one space after the colon', 'data:a\n\ndata:  b\n\n', [message('a'), message(' b')]],
    ['names the type of an event', 'event: x\ndata: a\n\n', [{ event: 'x', data: 'a' }]],
    ['forgets the type with its event', 'event: x\n\ndata: a\n\n', [message('a')]],
    ['has comments', ': data: a\n:\ndata: b\n\n', [message('b')]],
    ['may have fields nobody knows', 'dat: a\ndatas: b\nnothing\ndata: c\n\n', [message('c')]],
    ['gives a position even without data', 'id: 7\ndata:\n\n', [{ id: '7' }]],
    ['gives the position before the data', 'data: a\nid: 7\n\n', [{ id: '7' }, message('a')]],
    ['gives a position only with its event', 'id: 7\ndata: a\n', []],
    ['may take back its position', 'id\n\n', [{ id: '' }]],
    ['cannot have a NUL in a position', 'id: a\0b\ndata: a\n\n', [message('a')]],
    ['cannot have a position too long to send back', `id: ${'x'.repeat(5000)}\n\n`, []],
    ['says how long to wait', 'retry: 1500\n', [{ retry: 1500 }]],
    ['waits in digits only', 'retry: 1.5\nretry: -1\nretry: 1s\nretry:\n', []],
    ['waits no longer than a timer can', 'retry: 99999999999999\n', [{ retry: 2 ** 31 - 1 }]],
    ['is UTF-8', 'data: ünïcödé 漢字\n\n', [message('ünïcödé 漢字')]],
  ];
  test.each(table)('%s', (_, text, said) => {
    expect(read([text])).toEqual(said);
    // The same byte by byte, and with every one of its bytes at the end of a piece.
    const bytes = Buffer.from(text);
    expect(read([...bytes].map((byte) => Buffer.of(byte)))).toEqual(said);
    for (let at = 0; at <= Math.min(bytes.length, 200); at += 1) {
      expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(said);
    }
  });

  test('may lack its last blank line when it is complete, but then gives no position', () => {
    expect(read(['id: 1\ndata: a\n\nid: 2\ndata: b'], { ended: true })).toEqual([
      { id: '1' },
      message('a'),
      message('b'),
    ]);
    expect(read(['id: 2\ndata: b\n'], { ended: true })).toEqual([message('b')]);
    expect(read([': hello'], { ended: true })).toEqual([]);
  });

  test('skips an event that is too large, and goes on with the next', () => {
    const maxBytes = 20;
    const next = 'data: next\n\n';
    const line = `data: ${'x'.repeat(21)}\n\n${next}`;
    const lines = `data: ${'x'.repeat(10)}\ndata: ${'y'.repeat(10)}\nid: 3\n\n${next}`;
    const endless = `data: ${'x'.repeat(5000)}\ndata: z\n\n${next}`;
    for (const size of [1, 7, 10_000]) {
      const cut = (text: string): string[] => text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
      expect(read(cut(line), { maxBytes })).toEqual([
        { oversized: 'x'.repeat(21) },
        message('next'),
      ]);
      expect(read(cut(lines), { maxBytes })).toEqual([
        { id: '3' },
        { oversized: `${'x'.repeat(10)}\n${'y'.repeat(10)}` },
        message('next'),
      ]);
      const [refused, following] = read(cut(endless), { maxBytes });
      expect(refused).toHaveProperty('oversized', expect.stringContaining('xxxx'));
      expect(following).toEqual(message('next'));
    }
    expect(read([`data: ${'x'.repeat(20)}\n\n`], { maxBytes })).toEqual([message('x'.repeat(20))]);
  });

  test('says how the data of an event that is too large begin and end', () => {
    const begin = '{"jsonrpc":"2.0",';
    const events = [
      `data: ${begin}${'x'.repeat(600)},"id":7}\n\n`,
      `data:${begin}\ndata: ${'x'.repeat(600)}\n: ${'c'.repeat(600)}\ndata: ,"id":7}\n\n`,
      `data: ${begin}\nevent: ${'e'.repeat(600)}\ndata: ${'x'.repeat(30)}\ndata: ,"id":7}\n\n`,
    ];
    for (const text of events) {
      for (const size of [1, 7, 300, 10_000]) {
        const ends: { readonly head: string; readonly tail: string }[] = [];
        const reader = new SseReader(40, {
          event: () => {},
          position: () => {},
          retry: () => {},
          oversized: (head, tail) => ends.push({ head, tail }),
        });
        for (let at = 0; at < text.length; at += size) {
          reader.push(Buffer.from(text.slice(at, at + size)));
        }
        expect(ends).toHaveLength(1);
        expect(ends[0]?.head.startsWith(begin)).toBe(true);
        expect(ends[0]?.tail.endsWith('x,"id":7}')).toBe(true);
      }
    }
  });

  test('may have a comment of any length', () => {
    const pieces = Array.from({ length: 2000 }, () => ':'.repeat(1000));
    expect(read([...pieces, '\ndata: a\n\n'], { maxBytes: 10 })).toEqual([message('a')]);
  });

  test('is read in linear time, whatever its pieces', () => {
    const fastest = (bytes: Buffer, size: number): number => {
      const times = Array.from({ length: 3 }, () => {
        const reader = new SseReader(64 * 1024 * 1024, {
          event: () => {},
          position: () => {},
          retry: () => {},
          oversized: () => {},
        });
        const before = process.cpuUsage();
        for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
        const { user, system } = process.cpuUsage(before);
        // Short work may be counted as either.
        return (user + system) / 1000;
      });
      return Math.min(...times);
    };
    const streams = (count: number): [Buffer, number][] => [
      [Buffer.from(`data: ${'x'.repeat(count)}\n\n`), 64],
      [Buffer.from('data:\n'.repeat(count / 6)), 65_536],
      [Buffer.from('data: a\r\n\r\n'.repeat(count / 11)), 65_536],
      [Buffer.from('\n'.repeat(count)), 1024],
    ];
    const small = streams(250_000).map(([bytes, size]) => fastest(bytes, size));
    const large = streams(2_000_000).map(([bytes, size]) => fastest(bytes, size));
    for (const [at, ms] of large.entries()) expect(ms / (small[at] ?? 0)).toBeLessThan(32);
  });
});

describe('parseSse', () => {
  async function parsed(
    chunks: Parameters<typeof parseSse>[0],
    maxBytes?: number,
  ): Promise<readonly SseEvent[]> {
    const events: SseEvent[] = [];
    for await (const event of parseSse(chunks, { maxBytes })) events.push(event);
    return events;
  }

  test('gives the events of texts, of bytes and of the body of a response, in any split', async () => {
    const text =
      ': hello\n\nid: 7\ndata: {"a":\ndata: 1}\n\nevent: end\ndata: \u00e9\n\ndata: rest';
    const events = [
      { type: 'message', data: '{"a":\n1}', id: '7' },
      { type: 'end', data: '\u00e9', id: '7' },
      { type: 'message', data: 'rest', id: '7' },
    ];
    expect(await parsed([text])).toEqual(events);
    expect(await parsed(text)).toEqual(events);
    expect(await parsed([...Buffer.from(text)].map((byte) => Uint8Array.of(byte)))).toEqual(events);
    expect(await parsed(new Response(text).body ?? [])).toEqual(events);
  });

  test('gives each event as soon as it is there', async () => {
    async function* endless(): AsyncGenerator<string> {
      for (let at = 0; ; at += 1) yield `data: ${at}\n\n`;
    }
    for await (const { data } of parseSse(endless())) if (data === '100') break;
  });

  test('fails at an event that is too large', async () => {
    const call = parsed([`data: ${'x'.repeat(100)}\n\n`], 50);
    await expect(call).rejects.toMatchObject({ code: 'invalid_answer' });
  });
});
