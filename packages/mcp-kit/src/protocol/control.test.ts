import { describe, expect, test, vi } from 'vitest';
import { Connection, type Channel } from '#jsonrpc';
import { steer, vocabulary } from './control.ts';

const silent: Channel = {
  start: () => {},
  send: () => 'sent',
  reply: () => {},
  drained: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

function watched() {
  const connection = new Connection(silent, () => ({
    request: () => ({}),
    notification: () => {},
    acceptsBatch: () => false,
    closed: () => {},
  }));
  const cancel = vi.spyOn(connection, 'cancel');
  const progress = vi.spyOn(connection, 'progress');
  const hear = (method: string, params?: Record<string, unknown>): boolean =>
    steer(connection, { jsonrpc: '2.0', method, params });
  return { cancel, progress, hear };
}

describe('notifications that steer', () => {
  test('cancel the request they name, id 0 and the empty string too', () => {
    const { cancel, hear } = watched();
    for (const requestId of [0, '', 'a', 7]) {
      expect(hear('notifications/cancelled', { requestId, reason: 'why' })).toBe(true);
      expect(cancel).toHaveBeenLastCalledWith(requestId, 'why');
    }
  });

  test('are taken and ignored when they name nothing readable', () => {
    const { cancel, progress, hear } = watched();
    for (const id of [undefined, null, 1.5, {}, [], 2 ** 53]) {
      expect(hear('notifications/cancelled', { requestId: id })).toBe(true);
      expect(hear('notifications/progress', { progressToken: id })).toBe(true);
    }
    expect(hear('notifications/cancelled')).toBe(true);
    expect(hear('notifications/progress')).toBe(true);
    expect(cancel).not.toHaveBeenCalled();
    expect(progress).not.toHaveBeenCalled();
  });

  test('leave every other to others', () => {
    const { hear } = watched();
    expect(hear('notifications/initialized')).toBe(false);
    expect(hear('cancelled', { requestId: 1 })).toBe(false);
  });
});

describe('the words for cancelling and progress', () => {
  test('never cancel the handshake', () => {
    expect(vocabulary.cancelled(1, 'initialize', 'x')).toBeUndefined();
    expect(vocabulary.cancelled(0, 'tools/call', 'x')).toEqual({
      method: 'notifications/cancelled',
      params: { requestId: 0, reason: 'x' },
    });
  });

  test('add a token beside whatever the parameters hold, and change nothing of theirs', () => {
    const params = { name: 'a', _meta: { own: 1 } };
    expect(vocabulary.withProgressToken(params, 0)).toEqual({
      name: 'a',
      _meta: { own: 1, progressToken: 0 },
    });
    expect(params).toEqual({ name: 'a', _meta: { own: 1 } });
    expect(vocabulary.withProgressToken(undefined, 'x')).toEqual({ _meta: { progressToken: 'x' } });
  });
});
