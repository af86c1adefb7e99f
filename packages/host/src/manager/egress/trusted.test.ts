import { describe, expect, test } from 'vitest';
import { trustedEgress } from './trusted.ts';

const reaches = (server: string, url: string, policy = {}): boolean => {
  const egress = trustedEgress([server], policy, { server: 'notes' });
  try {
    return egress.check(url) === undefined;
  } finally {
    egress.destroy();
  }
};

describe('what a trusted server names', () => {
  test.each([
    ['https://notes.example/mcp', 'https://login.example/', true],
    ['https://notes.example/mcp', 'https://login.example:8443/', true],
    ['https://notes.example/mcp', 'http://login.example/', false],
    ['https://notes.example/mcp', 'http://127.0.0.1:8080/', false],
    ['https://notes.example/mcp', 'https://localhost/', false],
    ['https://notes.example/mcp', 'https://10.0.0.1/', false],
    ['https://notes.example/mcp', 'https://169.254.169.254/', false],
    ['https://notes.example/mcp', 'https://me:secret@login.example/', false],
    ['http://10.0.0.7:3000/mcp', 'http://10.0.0.8:3001/', true],
    ['http://10.0.0.7:3000/mcp', 'http://127.0.0.1:3001/', false],
    ['http://10.0.0.7:3000/mcp', 'http://login.example/', false],
    ['http://127.0.0.1:3000/mcp', 'http://127.0.0.1:3001/', true],
    ['http://localhost:3000/mcp', 'http://127.0.0.1:3001/', true],
    ['http://localhost:3000/mcp', 'http://login.example/', false],
    ['http://localhost:3000/mcp', 'https://169.254.169.254/', false],
  ])('seen from %s: %s may be reached: %s', (server, url, may) => {
    expect(reaches(server, url)).toBe(may);
  });

  test('may be further in where the policy says so', () => {
    const url = 'https://10.0.0.1/';
    expect(reaches('https://notes.example/mcp', url, { allowPrivateIps: true })).toBe(true);
  });

  test('is refused with words for somebody who has approved the server', () => {
    const egress = trustedEgress(['https://notes.example/'], {}, { server: 'notes' });
    const refused = egress.check('https://10.0.0.1/');
    expect(refused?.message).toBe(
      'refusing to connect non-global ip on the word of notes ip=10.0.0.1',
    );
    expect(refused?.hint).toContain('policy.allowPrivateIps');
    expect(refused?.hint).not.toContain('approve');
    egress.destroy();
  });
});

test.each(['http://0.0.0.0:3000/', 'http://notes.internal/', 'https://169.254.1.1/'])(
  'the place that the user has named may be reached, wherever it is: %s',
  (url) => {
    expect(reaches(url, `${url}.well-known/x`)).toBe(true);
  },
);

test('what a trusted server names is judged before a proxy is asked for it', () => {
  const proxy = 'http://127.0.0.1:1';
  const egress = trustedEgress(['https://notes.example/'], {}, { server: 'notes', proxy });
  for (const url of ['https://10.0.0.1/', 'http://login.example/', 'https://localhost/']) {
    expect(egress.check(url)).toMatchObject({ code: 'refused_by_policy' });
    expect(() => egress.agentFor(url)).toThrow('refusing to');
  }
  expect(egress.check('https://login.example/')).toBeUndefined();
  egress.destroy();
});
