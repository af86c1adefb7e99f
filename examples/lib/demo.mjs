// What the examples with `--demo` share: a client within this process that returns envelopes.
import { openSession } from 'mcp-kit/client';
import { memoryTarget } from 'mcp-kit/testing';

/** Lets `show` call the tools of a server; `call` returns the envelope of the answer. */
export async function demo(server, show, options = {}) {
  const session = await openSession(memoryTarget(server), {
    name: 'demo',
    version: '1.0.0',
    ...options,
  });
  const call = async (name, args = {}) => (await session.callTool(name, args)).structuredContent;
  try {
    await show(call, session);
  } finally {
    await session.close();
  }
}
