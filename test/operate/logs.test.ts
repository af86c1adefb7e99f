import { createRequire } from 'node:module';
import path from 'node:path';
import { stderrLogger } from 'mcp-kit/internal';
import { pinoLogger } from '@mcp-kit/host/operate';
import { expect, test } from 'vitest';
import { makeReady } from '../interop/peers.mjs';
import { send } from '../support/http-client.ts';
import { modern } from '../support/mcp-http.ts';
import { operating } from './fixture.ts';

type CreatePino = (
  options: object,
  destination: { write(line: string): void },
) => Parameters<typeof pinoLogger>[0] & { readonly version: string };

const peers = createRequire(path.join(import.meta.dirname, '../../peers/package.json'));
await makeReady();
const createPino = peers('pino') as CreatePino;
const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2lnbmF0dXJl';

test('Logs go through a logger of pino, a line per call with its trace, as pino writes them', async () => {
  const lines: string[] = [];
  const logger = pinoLogger(createPino({}, { write: (line) => lines.push(line) }));
  await using server = await operating({}, { logger, logCalls: true });
  await send(server.url, modern('tools/call', { name: 'whoami', arguments: {} }));
  logger.debug('below the level of pino');
  logger.error(`no entry with Bearer abc.def`, { apiKey: 'secret-1', list: [jwt] });
  const entries = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(entries).toMatchObject([
    { level: 30, pid: process.pid, msg: 'call', method: 'tools/call', outcome: 'ok' },
    { level: 50, msg: 'no entry with Bearer [hidden]', apiKey: '[hidden]', list: ['[hidden]'] },
  ]);
  expect(entries[0]?.['traceId']).toMatch(/^trc_[0-9a-f]{32}$/);
  expect(lines.join('')).not.toMatch(/secret-1|abc\.def|eyJ/);
});

test('Logs in plain text hide secrets as well', () => {
  const lines: string[] = [];
  const { write } = process.stderr;
  process.stderr.write = (line) => lines.push(String(line)) > 0;
  try {
    const logger = stderrLogger('info');
    logger.info('got https://user:secret-1@host/', { token: 'secret-2', error: new Error(jwt) });
  } finally {
    process.stderr.write = write;
  }
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('info: got https://[hidden]@host/ {"token":"[hidden]"');
  expect(lines[0]).not.toMatch(/secret-\d|eyJ/);
});
