import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect, textOf } from 'mcp-kit';
import { memoryTarget } from 'mcp-kit/testing';
import { server } from './tools.ts';

await test('get_number_sum adds two numbers', async () => {
  const session = await connect(memoryTarget(server));
  try {
    assert.equal(textOf(await session.callTool('get_number_sum', { a: 2, b: 3 })), '2 + 3 = 5');
    const wrong = await session.callTool('get_number_sum', { a: 'two', b: 3 });
    assert.equal(wrong.isError, true);
  } finally {
    await session.close();
  }
});
