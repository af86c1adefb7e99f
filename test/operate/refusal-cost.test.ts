import { Buffer } from 'node:buffer';
import { isPromise, silentLogger } from 'mcp-kit/internal';
import { createEndpoint, type Responder } from 'mcp-kit/transport/http';
import { expect, test } from 'vitest';
import { createAdmit } from '../../packages/host/src/operate/admit.ts';
import { CallCounts, observeCalls } from '../../packages/host/src/operate/observe/calls.ts';
import { createLimits } from '../../packages/host/src/operate/limits.ts';
import { createMetrics } from '../../packages/host/src/operate/observe/metrics.ts';
import { refuse } from '../../packages/mcp-kit/src/transport/http/responder.ts';
import { callsOf } from '../support/modules-of.ts';
import { modern } from '../support/mcp-http.ts';
import { sampleServer } from './fixture.ts';

const { headers = {}, body } = modern('tools/call', { name: 'whoami' });
const bytes = Buffer.from(JSON.stringify(body));

/** Everything of ours that happens to a request, with counting, between the parser of Node and its way out. */
function serving(rate: string) {
  const counts = new CallCounts();
  const metrics = createMetrics(counts, () => undefined, { knows: () => false });
  const limits = createLimits({ address: rate }, counts);
  const endpoint = createEndpoint(sampleServer(), {
    admit: createAdmit({ limits, logger: silentLogger }),
    layers: {
      observe: observeCalls(counts, (call) => metrics.ended(call)),
      limits: limits.layer,
    },
  });
  const { observer } = metrics;
  const responder: Responder = {
    observer,
    respond: (status) => observer.answered(status),
    openStream: () => expect.unreachable(),
    gone: false,
    onGone() {},
  };
  const serve = (): void => {
    const entered = endpoint.admit({ headers, address: '127.0.0.1' });
    if (isPromise(entered)) throw new Error('this gate asks nobody');
    if ('status' in entered) refuse(responder, entered);
    else endpoint.post({ headers, caller: entered }, bytes, responder);
  };
  return { serve, metrics, close: () => endpoint.close() };
}

test('a refusal takes a fifth of the steps of a served call at most, besides what Node needs for any request', async () => {
  const served = serving('1000000/s burst 100000000');
  const refused = serving('1/h');
  served.serve();
  refused.serve();
  const [call, refusal] = [await callsOf(served.serve), await callsOf(refused.serve)];
  expect(served.metrics.text()).toContain('mcp_http_responses_total{status="200"} 2');
  expect(refused.metrics.text()).toContain('mcp_rejections_total{cause="rate_address"} 1');
  expect(refusal * 5).toBeLessThan(call);
  await Promise.all([served.close(), refused.close()]);
});
