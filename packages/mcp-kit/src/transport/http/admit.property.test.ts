import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createGuard } from './admit.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

const allowed = ['localhost', '127.0.0.1', '[::1]', 'mcp.example.com'];
const guard = createGuard({
  allowedHosts: ['MCP.example.com'],
  allowedOrigins: ['https://App.example.com:8443'],
});

const name = fc.oneof(
  fc.constantFrom(...allowed, 'LOCALHOST', 'Mcp.Example.COM'),
  fc.constantFrom('localhost.evil', 'evil.localhost', 'evil.com', 'localhost.', '127.0.0.1.nip.io'),
  fc.constantFrom('127.1', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '::1', '0.0.0.0', '[::]'),
  fc.constantFrom('', ' ', 'user@localhost', 'localhost@evil.com', 'localhost/x', 'localhost#'),
  fc.domain(),
  fc.string({
    unit: fc.constantFrom('localhost', '.', ':', '[', ']', '@', '/', '\t', ' ', 'a', '1'),
  }),
);
const port = fc.constantFrom(
  '',
  ':80',
  ':8080',
  ':',
  ':99999',
  ':123456',
  ':http',
  ':80:80',
  ': 80',
);

/** An allowed name, with or without a port of one to five digits: nothing else. */
function isAllowedHost(host: string): boolean {
  const lower = host.toLowerCase();
  return allowed.some((known) => {
    if (lower === known) return true;
    if (!lower.startsWith(`${known}:`)) return false;
    return /^[0-9]{1,5}$/.test(lower.slice(known.length + 1));
  });
}

/** An allowed origin as it stands, or http(s) on an allowed host. */
function isAllowedOrigin(origin: string): boolean {
  const lower = origin.toLowerCase();
  if (lower === 'https://app.example.com:8443') return true;
  const scheme = ['http://', 'https://'].find((start) => lower.startsWith(start));
  return scheme !== undefined && isAllowedHost(lower.slice(scheme.length));
}

describe('the guard', () => {
  test('lets no host through but those on its list, however they are written', () => {
    fc.assert(
      fc.property(name, port, (host, suffix) => {
        const refusal = guard({ host: host + suffix }, []);
        assert.equal(refusal === undefined, isAllowedHost(host + suffix));
        if (refusal !== undefined) assert.equal(refusal.status, 403);
      }),
      { numRuns },
    );
  });

  test('lets no origin through but those on its list and pages of its own hosts', () => {
    const scheme = fc.constantFrom(
      'http://',
      'https://',
      'HTTP://',
      'file://',
      'null',
      '',
      'ws://',
      '//',
    );
    const tail = fc.constantFrom('', '', '', '/', '/x', '?x', '#x', '@evil.com');
    fc.assert(
      fc.property(fc.tuple(scheme, name, port, tail), (parts) => {
        const origin = parts.join('');
        const refusal = guard({ host: 'localhost', origin }, []);
        assert.equal(refusal === undefined, isAllowedOrigin(origin));
      }),
      { numRuns },
    );
  });

  test('judges any header values without a throw, and lets none of them through by accident', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.string()),
      fc.constant(undefined),
    );
    fc.assert(
      fc.property(value, value, fc.array(fc.string()), (host, origin, raw) => {
        const refusal = guard({ host, origin }, raw);
        if (refusal !== undefined) return;
        assert.ok(typeof host === 'string' && isAllowedHost(host));
        assert.ok(origin === undefined || (typeof origin === 'string' && isAllowedOrigin(origin)));
      }),
      { numRuns },
    );
  });

  test('refuses a request without a host, with several, and from an opaque origin', () => {
    expect(guard({}, [])).toMatchObject({ status: 403 });
    const twice = ['Host', 'localhost', 'HOST', 'localhost'];
    expect(guard({ host: 'localhost' }, twice)).toMatchObject({ status: 403 });
    expect(guard({ host: 'localhost', origin: 'null' }, [])).toMatchObject({ status: 403 });
    expect(guard({ host: 'localhost', origin: '' }, [])).toMatchObject({ status: 403 });
  });

  test('takes addresses as names only where the server is bound beyond loopback', () => {
    const open = createGuard({ anyAddress: true });
    for (const host of ['10.0.0.1', '[fe80::1]:80', '192.168.1.1:8080']) {
      expect(open({ host }, [])).toBeUndefined();
      expect(guard({ host }, [])).toMatchObject({ status: 403 });
    }
    expect(open({ host: 'evil.com' }, [])).toMatchObject({ status: 403 });
    expect(open({ host: '10.0.0.1', origin: 'http://10.0.0.1' }, [])).toMatchObject({
      status: 403,
    });
  });
});
