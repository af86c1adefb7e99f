import { describe, expect, test } from 'vitest';
import { createEgress } from './egress.ts';
import type { EgressPolicy } from './policy.ts';

function check(url: string, policy: Partial<EgressPolicy> = {}, field?: string) {
  const egress = createEgress(policy, { server: 'docs' });
  return egress.check(url, field);
}

test.each([
  ['https://user:secret@example.com/mcp', 'use url credentials in untrusted mode: docs field=url'],
  ['https://token@example.com/mcp', 'use url credentials in untrusted mode: docs field=url'],
  [
    'http://example.com/key/1?token=2',
    'connect non-https streamable http url in untrusted mode: docs url=http://example.com/…',
  ],
  [
    'ftp://example.com',
    'connect non-https streamable http url in untrusted mode: docs url=ftp://example.com',
  ],
  [
    'https://localhost/mcp',
    'connect localhost/local/single-label domain in untrusted mode: docs host=localhost',
  ],
  [
    'https://a.localhost',
    'connect localhost/local/single-label domain in untrusted mode: docs host=a.localhost',
  ],
  [
    'https://LOCALHOST./',
    'connect localhost/local/single-label domain in untrusted mode: docs host=localhost',
  ],
  [
    'https://nas.local',
    'connect localhost/local/single-label domain in untrusted mode: docs host=nas.local',
  ],
  [
    'https://localhost.localdomain',
    'connect localhost/local/single-label domain in untrusted mode: docs host=localhost.localdomain',
  ],
  [
    'https://a.localdomain',
    'connect localhost/local/single-label domain in untrusted mode: docs host=a.localdomain',
  ],
  ['https://wiki', 'connect localhost/local/single-label domain in untrusted mode: docs host=wiki'],
  ['https://10.1.2.3/mcp', 'connect non-global ip in untrusted mode: docs ip=10.1.2.3'],
  ['https://[::ffff:7f00:1]/mcp', 'connect non-global ip in untrusted mode: docs ip=::ffff:7f00:1'],
  ['https://0x7f.1/', 'connect non-global ip in untrusted mode: docs ip=127.0.0.1'],
  [
    'https://example.com:22/',
    'connect port not in allowlist in untrusted mode: docs host=example.com port=22',
  ],
])('%s is refused, with a reason that keeps its secrets', (url, reason) => {
  const refused = check(url);
  expect(refused).toMatchObject({ code: 'refused_by_policy', message: `refusing to ${reason}` });
  expect(refused?.hint).toContain('mcpctl trust approve docs');
});

test('a refusal names the field that the URL was found in', () => {
  expect(check('https://u@example.com', {}, 'http_url')?.message).toMatch(/ field=http_url$/);
  expect(check('http://example.com', {}, 'sse_url')?.message).toMatch(/ sse_url=http:/);
});

test('text that is not a URL is a mistake, and is not repeated', () => {
  const refused = check('secret-token');
  expect(refused).toMatchObject({ code: 'invalid_argument' });
  expect(refused?.message).toBe('mcp server docs: url is not a URL');
});

test.each([
  'https://example.com/mcp',
  'https://example.com:443/mcp?key=1',
  'https://sub.example.co.uk',
  'https://8.8.8.8/',
  'https://[2606:4700::1111]/',
  'https://localhost.example.com/',
])('%s is allowed', (url) => {
  expect(check(url)).toBeUndefined();
});

/** One URL for each thing that a policy can open. */
const urls = {
  http: 'http://example.com/',
  localhost: 'https://localhost/',
  localhostPort: 'https://localhost:3000/',
  subLocalhost: 'https://app.localhost/',
  loopback4: 'https://127.0.0.1:3000/',
  loopback6: 'https://[::1]/',
  local: 'https://nas.local:8443/',
  single: 'https://wiki/',
  private4: 'https://192.168.1.1:8443/',
  private6: 'https://[fd12::1]/',
  port: 'https://example.com:8443/',
  otherPort: 'https://example.com:8444/',
  linkLocal: 'https://169.254.169.254/',
  azure: 'https://168.63.129.16/',
  compatible: 'https://[::7f00:1]/',
  zero: 'https://0.0.0.0/',
  credentials: 'https://u:p@example.com/',
  file: 'file:///etc/passwd',
};
type Name = keyof typeof urls;

test.each<[string, Partial<EgressPolicy>, Name[]]>([
  ['nothing', {}, []],
  ['requireHttps: false', { requireHttps: false }, ['http']],
  [
    'allowLocalhost',
    { allowLocalhost: true },
    ['localhost', 'localhostPort', 'subLocalhost', 'loopback4', 'loopback6'],
  ],
  // Whether names at other ports are of the network around is known when they are looked up.
  [
    'allowPrivateIps',
    { allowPrivateIps: true },
    ['local', 'single', 'private4', 'private6', 'port', 'otherPort'],
  ],
  ['dnsCheck: false', { dnsCheck: false }, []],
  ['dnsFailOpen', { dnsFailOpen: true }, []],
  ['allowedPorts', { allowedPorts: [8443] }, ['port']],
  ['allowedHosts with a port', { allowedHosts: ['example.com:8443'] }, ['port']],
  [
    'allowedHosts that are not public',
    { allowedHosts: ['localhost', '127.0.0.1', 'nas.local'] },
    [],
  ],
])('%s opens only what it says', (_, policy, opened) => {
  const names = Object.keys(urls) as Name[];
  expect(names.filter((name) => check(urls[name], policy) === undefined)).toEqual(opened);
});

describe('a list of hosts', () => {
  const policy = { allowedHosts: ['Example.com', 'münchen.example', '8.8.8.8', '2606:4700::1111'] };

  test.each([
    'https://example.com',
    'https://example.com.',
    'https://a.b.example.com',
    'https://xn--mnchen-3ya.example',
    'https://8.8.8.8',
    'https://[2606:4700::1111]',
  ])('lets %s pass', (url) => {
    expect(check(url, policy)).toBeUndefined();
  });

  test.each([
    ['https://example.org', 'example.org'],
    ['https://notexample.com', 'notexample.com'],
    ['https://example.com.evil.org', 'example.com.evil.org'],
    ['https://1.1.1.1', '1.1.1.1'],
  ])('does not let %s pass', (url, host) => {
    const what = 'refusing to connect streamable http host not in allowlist in untrusted mode';
    expect(check(url, policy)?.message).toBe(`${what}: docs host=${host}`);
  });

  test('opens a port only where it says so', () => {
    const ports = { allowedHosts: ['example.com:8443', 'example.org'] };
    expect(check('https://a.example.com:8443', ports)).toBeUndefined();
    expect(check('https://example.org:8443', ports)?.message).toContain('port=8443');
  });

  test.each(['', '*', '*.example.com', 'https://example.com', 'a@b', 'a/b', 'a b', 'a:99999'])(
    'cannot have %j in it',
    (host) => {
      expect(() => check('https://example.com', { allowedHosts: [host] })).toThrow(
        expect.objectContaining({ code: 'invalid_argument' }),
      );
    },
  );
});

test.each([
  { dnsTimeoutMs: 0 },
  { dnsTimeoutMs: Number.NaN },
  { allowedPorts: [0] },
  { allowedPorts: [1.5] },
])('a policy of %j is a mistake', (policy) => {
  expect(() => check('https://example.com', policy)).toThrow(
    expect.objectContaining({ code: 'invalid_argument' }),
  );
});

test('a member of a policy that is undefined is as its default', () => {
  const given = { requireHttps: undefined, dnsCheck: undefined } as unknown as EgressPolicy;
  const egress = createEgress(given, { server: 'docs' });
  expect(egress.check('http://example.com/', 'url')).toMatchObject({ code: 'refused_by_policy' });
});
