import { isRecord, KitError } from 'mcp-kit/internal';
import type { Prompt } from 'mcp-kit/protocol';
import { nearest, usageError } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { withManager } from '../../open.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { showBlock } from '../../show/content.ts';
import { findPrompt } from '../../show/find.ts';
import { collect } from '../../show/item.ts';
import { argumentsOf, promptSignature } from '../../show/signature.ts';
import { plainLine } from '../../terminal/plain-text.ts';
import { createStyle } from '../../terminal/style.ts';

export const prompt = defineCommand({
  positionals: [
    { name: 'SERVER', help: 'The server that has the prompt.' },
    { name: 'PROMPT', help: 'The prompt.' },
    {
      name: 'NAME=VALUE',
      help: 'Arguments of the prompt; all are text.',
      optional: true,
      many: true,
    },
  ],
  examples: [
    {
      command: 'mcpctl prompt writer translate_text language=French text=hello',
      about: 'Its messages.',
    },
  ],
  async run({ args, globals, stop }) {
    const startedMs = performance.now();
    const { SERVER: server, PROMPT: name } = args;
    const given = Object.fromEntries(args['NAME=VALUE'].map(readPair));
    await withManager({ globals, stop, server }, async ({ manager }) => {
      const session = await manager.server(server).connect({ signal: stop });
      const options = { signal: stop };
      const list = await collect(session.prompts(options), 'name');
      check(findPrompt(list, name, { server, target: globals.target }), given);
      const result = await session.getPrompt(name, given, options);
      if (globals.json) {
        printJson(result);
      } else {
        const style = createStyle(globals);
        for (const message of result.messages) {
          if (!isRecord(message)) throw oddMessage(name);
          const { role, content } = message;
          print(style.cyan(plainLine(`${role}:`)));
          print(await showBlock(content, { server, target: globals.target, folder: undefined }));
        }
      }
      sumUp(globals, count(result.messages.length, 'message'), startedMs);
    });
  },
});

function readPair(word: string): [string, string] {
  const at = word.indexOf('=');
  if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
  throw usageError(`${JSON.stringify(word)} is not an argument`, 'Write arguments as NAME=VALUE.');
}

function oddMessage(name: string): KitError {
  return new KitError('invalid_answer', `${name}: a message of the prompt is not an object`);
}

function check(found: Prompt, given: Readonly<Record<string, string>>): void {
  const known = argumentsOf(found);
  const names = known.map(({ name }) => name);
  const hint = `It takes ${promptSignature(found)}.`;
  const missing = known.find(
    ({ name, required }) => required === true && !Object.hasOwn(given, name),
  );
  const unknown = Object.keys(given).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    const near = nearest(unknown, names);
    const meant = near === undefined ? '' : `; did you mean ${near}?`;
    throw usageError(`${found.name}: there is no argument ${unknown}${meant}`, hint);
  }
  if (missing !== undefined) throw usageError(`${found.name}: ${missing.name} is missing`, hint);
}
