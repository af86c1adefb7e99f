import { modelTools } from '@mcp-kit/host';
import { textOf } from 'mcp-kit/client';

/** Asks a model of Anthropic, which may use every tool of the manager, until it has an answer. */
export async function ask(manager, anthropic, { model, prompt }) {
  const messages = [{ role: 'user', content: prompt }];
  for (;;) {
    const tools = modelTools((await manager.tools()).tools, 'anthropic');
    const request = { model, max_tokens: 1024, tools, messages };
    const { content, stop_reason: why } = await anthropic.messages.create(request);
    if (why !== 'tool_use') return content;
    const wanted = content.filter(({ type }) => type === 'tool_use');
    const results = wanted.map(async ({ id, name, input }) => {
      const result = await manager.callTool(name, input);
      const is_error = result.isError === true;
      return { type: 'tool_result', tool_use_id: id, content: textOf(result), is_error };
    });
    messages.push(
      { role: 'assistant', content },
      { role: 'user', content: await Promise.all(results) },
    );
  }
}
