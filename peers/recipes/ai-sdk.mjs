import { generateText, jsonSchema, stepCountIs, tool } from 'ai';
import { modelTools } from '@mcp-kit/host';
import { textOf } from 'mcp-kit/client';

/** Asks a model, which may use every tool of the manager. */
export async function ask(manager, model, prompt) {
  const { tools } = await manager.tools();
  const usable = Object.entries(modelTools(tools, 'ai-sdk')).map(
    ([name, { description, inputSchema }]) => {
      const execute = async (args, { abortSignal: signal }) =>
        textOf(await manager.callTool(name, args, { signal }));
      return [name, tool({ description, inputSchema: jsonSchema(inputSchema), execute })];
    },
  );
  const stopWhen = stepCountIs(10);
  return generateText({ model, prompt, tools: Object.fromEntries(usable), stopWhen });
}
