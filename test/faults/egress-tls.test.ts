import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, get, type RequestOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createEgress, type Egress } from '@mcp-kit/host';
import { expect, test } from 'vitest';
import { certificate, key } from '../support/certificate.mjs';

/** A server on this machine with the certificate of `app.localhost`. */
async function listen(): Promise<{ readonly port: number } & AsyncDisposable> {
  const server = createServer({ key, cert: certificate }, (_, response) => response.end('secure'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function open(ca?: string): Egress & Disposable {
  const resolve = (): Promise<string[]> => Promise.resolve(['127.0.0.1']);
  const options = { server: 'docs', resolve, ...(ca !== undefined && { ca }) };
  const egress = createEgress({ allowLocalhost: true }, options);
  return { ...egress, [Symbol.dispose]: () => egress.destroy() };
}

async function fetchText(egress: Egress, url: string, more: RequestOptions = {}): Promise<string> {
  const request = get(url, { agent: egress.agentFor(url), ...more });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  return text;
}

test('the certificate must be that of the name, whatever a header says', async () => {
  await using server = await listen();
  using egress = open(certificate);
  expect(await fetchText(egress, `https://app.localhost:${server.port}/`)).toBe('secure');
  const headers = { host: 'app.localhost' };
  const other = fetchText(egress, `https://other.localhost:${server.port}/`, { headers });
  await expect(other).rejects.toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
});

test('an unknown signer is refused, whatever the environment says', async () => {
  await using server = await listen();
  const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
  try {
    using egress = open();
    const fetching = fetchText(egress, `https://app.localhost:${server.port}/`);
    await expect(fetching).rejects.toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
  } finally {
    if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
  }
});
