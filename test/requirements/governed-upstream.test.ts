import { createServer as createNodeServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openSession, type Session } from 'mcp-kit/client';
import type { Target } from 'mcp-kit/protocol';
import { createServer, type Server } from 'mcp-kit/server';
import { memoryTarget } from 'mcp-kit/testing';
import { tool, toolSet, type Envelope, type Trace } from 'mcp-kit/tools';
import { createTraces, governed, type Traces } from 'mcp-kit/tools/governed';
import { toFetchHandler } from 'mcp-kit/transport/http';
import { httpTarget } from 'mcp-kit/transport/http-client';
import { describe, expect, test } from 'vitest';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** A server of one governed tool, which says what `_meta` it was called with. */
function far(traces: Traces): Server {
  const madeTool = tool({
    name: 'get_call_meta',
    description: 'Tells the _meta of its call.',
    safety: 'readonly',
    run: (_args, { meta }) => ({ meta }),
  });
  const set = toolSet([madeTool], { contract: governed({ lint: 'off', traces }) });
  return createServer({ name: 'far', version: '1', features: [set] });
}

/** A server whose tool calls the one of another. */
function near(session: Session, traces: Traces): Server {
  const madeTool = tool({
    name: 'get_far_meta',
    description: 'Calls another server.',
    safety: 'readonly',
    run: (_args, context) =>
      context.span('far', () =>
        session.callTool('get_call_meta', {}, { meta: context.traceHeaders }),
      ),
  });
  const set = toolSet([madeTool], { contract: governed({ lint: 'off', traces }) });
  return createServer({ name: 'near', version: '1', features: [set] });
}

interface Place extends AsyncDisposable {
  readonly target: Target;
  readonly received: readonly IncomingHttpHeaders[];
}

/** Serves behind a listener that keeps the headers of every request. */
async function overHttp(server: Server): Promise<Place> {
  const handler = toFetchHandler(server);
  const received: IncomingHttpHeaders[] = [];
  const listener = createNodeServer((request, response) => {
    received.push(request.headers);
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const { method = 'POST', headers } = request;
      const answer = await handler(
        new Request(`http://${headers.host}/mcp`, {
          method,
          headers: headers as Record<string, string>,
          ...(method === 'POST' && { body: Buffer.concat(chunks) }),
        }),
      );
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  });
  await new Promise<void>((resolve) => void listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  return {
    target: httpTarget(`http://127.0.0.1:${port}/mcp`),
    received,
    async [Symbol.asyncDispose]() {
      await handler.close();
      listener.closeAllConnections();
      await new Promise((resolve) => void listener.close(resolve));
    },
  };
}

async function inMemory(server: Server): Promise<Place> {
  return { target: memoryTarget(server), received: [], async [Symbol.asyncDispose]() {} };
}

const places = { 'in memory': inMemory, 'over HTTP': overHttp };
const cases = Object.entries(places).flatMap(([where, place]) =>
  (['legacy', 'modern'] as const).map((era) => [where, era, place] as const),
);

describe('a call that a tool makes joins the trace of the call it serves', () => {
  test.each(cases)('%s, %s', async (_where, era, place) => {
    const [farTraces, nearTraces] = [createTraces(), createTraces()];
    await using there = await place(far(farTraces));
    await using upstream = await openSession(there.target, { era });
    await using session = await openSession(memoryTarget(near(upstream, nearTraces)), { era });
    const result = await session.callTool('get_far_meta', {}, { meta: { traceparent: parent } });
    expect((result.structuredContent as Envelope).success).toBe(true);
    const [[own], [their]] = [nearTraces.list(), farTraces.list()] as [Trace[], Trace[]];
    expect(own).toMatchObject({ parentSpanId: 'b7ad6b7169203331', success: true });
    expect(own?.spans?.map(({ name }) => name)).toContain('far');
    expect(their).toMatchObject({ tool: 'get_call_meta', parentSpanId: own?.spanId });
    expect(their?.traceId).toContain('0af7651916cd43dd8448eb211c80319c');
    const sent = there.received.map(({ traceparent }) => traceparent).filter(Boolean);
    const expected = `00-0af7651916cd43dd8448eb211c80319c-${own?.spanId}-01`;
    expect(sent).toEqual(there.received.length === 0 ? [] : [expected]);
  });

  test('and _meta that a request has itself goes before', async () => {
    await using session = await openSession(memoryTarget(far(createTraces())));
    const _meta = { 'example/one': 1 };
    const result = (await session.request(
      'tools/call',
      { name: 'get_call_meta', _meta },
      { meta: { 'example/one': 2, 'example/two': 2 } },
    )) as { structuredContent: { data: { meta: object } } };
    expect(result.structuredContent.data.meta).toMatchObject({ ..._meta, 'example/two': 2 });
  });

  test('a traceparent that is no header is not made one', async () => {
    await using there = await overHttp(far(createTraces()));
    await using session = await openSession(there.target);
    const meta = { traceparent: 'x\r\ninjected: 1' };
    await session.callTool('get_call_meta', {}, { meta });
    expect(there.received.some((headers) => 'injected' in headers)).toBe(false);
  });
});
