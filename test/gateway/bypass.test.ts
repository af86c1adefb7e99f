import * as fc from 'fast-check';
import { gateway } from '@mcp-kit/host/gateway';
import { createServer } from 'mcp-kit/server';
import { memoryTarget } from 'mcp-kit/testing';
import { tool, toolSet } from 'mcp-kit/tools';
import { serveHttp } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { expect, test } from 'vitest';

const numRuns = Math.min(2000, Number(process.env['PROPERTY_RUNS']) / 10);

/** A body as it is sent, whatever it says; the headers of both eras, whatever they say. */
async function post(url: string, body: string, headers: Record<string, string>): Promise<void> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body,
  });
  await response.text();
}

const meta = JSON.stringify({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
});

/** A call that names its method twice and, where it is to, its tool. */
function callOf(said: {
  readonly first: string;
  readonly second: string;
  readonly twice: boolean;
  readonly caller: string;
}): string {
  const { first, second, twice, caller } = said;
  const names = twice
    ? `"name":${JSON.stringify(first)},"name":${JSON.stringify(second)}`
    : `"name":${JSON.stringify(first)}`;
  const asked =
    caller === ''
      ? `${names},"arguments":{}`
      : `"name":"${caller}","arguments":{${names},"arguments":{}}`;
  return `{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call","params":{${asked},"_meta":${meta}}}`;
}

test('no message, whatever its names, headers, repeated keys and callers, does what a rule denies', async () => {
  const done: string[] = [];
  const own = (name: string) => tool({ name, description: name, run: () => void done.push(name) });
  const files = createServer({
    name: 'files',
    version: '1',
    features: [
      toolSet([
        own('delete_file'),
        own('read_file'),
        own('delete_a_file_of_which_the_name_is_far_too_long_for_most_models'),
      ]),
    ],
  });
  const service = gateway(
    { files: memoryTarget(files), 'other files': memoryTarget(files) },
    { waitMs: 60_000, policy: [{ decision: 'deny', tools: ['delete_*'] }] },
  );
  const http = await serveHttp(service, {
    services: (at) => service.server(decodeURIComponent(at.replace('/mcp/', ''))),
  });
  try {
    await service.settled();
    const denied = 'delete_file';
    const spelled = fc.constantFrom(
      denied,
      'DELETE_FILE',
      'Delete_File',
      'delete_file ',
      'delete\u200b_file',
      'ｄelete_file',
      'read_file',
      'files__read_file',
      'delete_a_file_of_which_the_name_is_far_too_long_for_most_models',
    );
    const name = fc
      .tuple(
        fc.constantFrom(
          '',
          'files__',
          'Files__',
          'files__files__',
          'other_files__',
          'other files__',
        ),
        spelled,
      )
      .map((parts) => parts.join(''));
    const place = fc.constantFrom('', '/files', '/other%20files', '/Files');
    const message = fc.record({
      first: name,
      second: name,
      header: name,
      method: fc.constantFrom('tools/call', 'tools/list', 'resources/read'),
      place,
      twice: fc.boolean(),
      batch: fc.boolean(),
      // Those that call what was searched for.
      caller: fc.constantFrom('', 'call_read_tool', 'call_write_tool', 'call_destructive_tool'),
    });
    const allowed = {
      first: 'files__read_file',
      second: 'files__read_file',
      header: 'files__read_file',
      method: 'tools/call',
      place: '',
      twice: false,
      batch: false,
      caller: '',
    } as const;
    await fc.assert(
      fc.asyncProperty(
        message,
        async ({ first, second, header, method, place: at, twice, batch, caller }) => {
          const one = callOf({ first, second, twice, caller });
          const body = batch ? `[${one},${one}]` : one;
          await post(http.url + at, body, {
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': method,
            'mcp-name': encodeURIComponent(header),
          });
          await post(http.url + at, one, {
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': 'tools/call',
            'mcp-name': caller || encodeURIComponent(twice ? second : first).replaceAll('%20', ' '),
          });
          expect(done.filter((what) => what.startsWith('delete'))).toEqual([]);
        },
      ),
      { numRuns, examples: [[allowed]] },
    );
    // Otherwise this would have shown nothing.
    for (const caller of ['', 'call_destructive_tool']) {
      done.length = 0;
      await post(http.url, callOf({ ...allowed, caller }), {
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': caller || allowed.first,
      });
      expect(done).toEqual(['read_file']);
    }
  } finally {
    await http.close();
    await service.close();
  }
});

const headerName = fc.constantFrom(
  'authorization',
  'cookie',
  'x-api-key',
  'proxy-authorization',
  'x-forwarded-user',
  'mcp-session-id',
  'x-amz-security-token',
  'x-custom',
);

test('what clients show the gateway reaches no server, and no server is shown what is for another', async () => {
  const seen: { server: string; text: string }[] = [];
  const servers = await Promise.all(
    ['one', 'two'].map(async (server) => {
      const look = tool({ name: 'look', description: 'Looks.', run: () => server });
      const service = createServer({ name: server, version: '1', features: [toolSet([look])] });
      const http = await serveHttp(service, {
        admit: ({ headers }) => {
          seen.push({ server, text: JSON.stringify(headers) });
          return { principal: 'gateway' };
        },
      });
      return { server, http };
    }),
  );
  const targets = Object.fromEntries(
    servers.map(({ server, http }) => [
      server,
      httpTarget(http.url, { headers: { authorization: `Bearer of-${server}` } }),
    ]),
  );
  const service = gateway(targets, { waitMs: 60_000 });
  const front = await serveHttp(service, {
    identify: (headers) => headers['authorization'] as string | undefined,
    services: (at) => service.server(at.replace('/mcp/', '')),
  });
  try {
    await service.settled();
    let calls = 0;
    const secret = fc.nat({ max: 1_000_000 }).map((number) => `client-secret-${number}`);
    const headers = fc.dictionary(headerName, secret, { minKeys: 1 });
    await fc.assert(
      fc.asyncProperty(
        headers,
        fc.constantFrom('one', 'two'),
        fc.boolean(),
        async (given, server, alone) => {
          const name = alone ? 'look' : `${server}__look`;
          const { 'mcp-session-id': _, ...sent } = given;
          const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":{},"_meta":${meta}}}`;
          await post(front.url + (alone ? `/${server}` : ''), body, {
            'mcp-protocol-version': '2026-07-28',
            'mcp-method': 'tools/call',
            'mcp-name': name,
            ...sent,
          });
          calls += 1;
        },
      ),
      { numRuns: Math.ceil(numRuns / 2) },
    );
    expect(seen.length).toBeGreaterThan(calls);
    for (const { server, text } of seen) {
      expect(text).not.toContain('client-secret');
      expect(text).toContain(`of-${server}`);
      expect(text).not.toContain(server === 'one' ? 'of-two' : 'of-one');
    }
  } finally {
    await front.close();
    await service.close();
    for (const { http } of servers) await http.close();
  }
});
