import path from 'node:path';
import { gateway } from '@mcp-kit/host/gateway';
import { createBridge } from 'mcp-kit/bridge';
import { openSession, textOf } from 'mcp-kit/client';
import type { Era } from 'mcp-kit/protocol';
import { memoryTarget } from 'mcp-kit/testing';
import { childTarget } from 'mcp-kit/transport/child-process';
import { serveHttp } from 'mcp-kit/transport/http';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeReady, sdkTasks } from '../interop/peers.mjs';
import { readyMs } from '../interop/try-features.ts';
import { serverOf, taskTools, Work } from './task-tools.ts';

beforeAll(makeReady, readyMs);

const script = path.resolve(import.meta.dirname, '../fixtures/servers/sdk-v1-tasks.mjs');
const theirs = childTarget({ command: process.execPath, args: [script] });

describe("The SDK's tasks of 2025-11-25 are used", () => {
  test('by our client, waited for and not', async () => {
    await using session = await openSession(theirs);
    expect(textOf(await session.callTool('get_required'))).toBe('done as required');
    const started = await session.startTask('get_optional');
    expect(await started.get()).toMatchObject({ status: 'working', pollIntervalMs: 50 });
    expect(textOf(await started.result())).toBe('done as optional');
  });

  test.each<Era>(['modern', 'legacy'])('by a %s client that knows none of them', async (era) => {
    const bridge = createBridge(theirs);
    const all = gateway({ sdk: theirs });
    onTestFinished(async () => {
      await bridge.close();
      await all.close();
    });
    await all.settled();
    for (const [service, name] of [
      [bridge, 'get_required'],
      [all, 'sdk__get_required'],
    ] as const) {
      const session = await openSession(memoryTarget(service), { era });
      onTestFinished(() => session.close());
      expect(textOf(await session.callTool(name))).toBe('done as required');
    }
  });
});

describe("Our tasks are used by the SDK's client", () => {
  test('which is told of the task, asks for its result and is asked in the middle', async () => {
    const work = new Work();
    const server = serverOf(taskTools(work), { pollIntervalMs: 20 });
    const { url, close } = await serveHttp(server, { port: 0 });
    onTestFinished(() => close());
    const client = await sdkTasks(url, { action: 'accept', content: { yes: true } });
    onTestFinished(() => client.close());
    const called = client.callAsTask('get_slow');
    await work.begun.promise;
    work.end();
    expect(await called).toMatchObject({
      types: expect.arrayContaining(['taskCreated', 'result']),
      result: { content: [{ text: 'done' }] },
    });
    expect(await client.callAsTask('get_answers')).toMatchObject({
      result: { content: [{ text: 'accept accept accept' }] },
    });
  });
});
