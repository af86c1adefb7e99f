import { setTimeout as sleep } from 'node:timers/promises';
import { elicit } from 'mcp-kit/protocol';
import { fail, tool } from 'mcp-kit/tools';

/** Shows progress, log messages and cancellation. */
export const executeTimerCountdown = tool({
  name: 'execute_timer_countdown',
  title: 'Countdown',
  description: 'Counts down to zero, reporting progress at every step; can be cancelled.',
  category: 'demo',
  safety: 'mutating',
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  examples: [{ input: {} }, { input: { from: 3, stepMs: 200 } }],
  input: {
    type: 'object',
    properties: {
      from: {
        type: 'integer',
        minimum: 1,
        maximum: 100,
        description: 'The number of steps. Default: 3.',
      },
      stepMs: {
        type: 'integer',
        minimum: 1,
        maximum: 10_000,
        description: 'Milliseconds between two steps. Default: 500.',
      },
    },
    additionalProperties: false,
  },
  async run({ from = 3, stepMs = 500 }, context) {
    await context.log('info', `counting down from ${from}`, 'countdown');
    for (let done = 1; done <= from; done++) {
      await sleep(stepMs, undefined, { signal: context.signal });
      await context.progress(done, from, `${from - done} left`);
    }
    return `Counted down from ${from} in ${from * stepMs} ms.`;
  },
});

/** Shows a question to the user, written once for both eras. */
export const createTextGreeting = tool({
  name: 'create_text_greeting',
  title: 'Greeting',
  description: "Writes a greeting; asks for the user's name when it is not given.",
  category: 'demo',
  safety: 'mutating',
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
  examples: [{ input: { name: 'Ada' } }, { input: {} }],
  input: {
    type: 'object',
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 100, description: 'Whom to greet.' },
    },
    additionalProperties: false,
  },
  async run(args, context) {
    if (args.name !== undefined) return greeting(args.name);
    const { person } = await context.ask({
      person: elicit({
        message: 'What is your name?',
        requestedSchema: {
          type: 'object',
          properties: { name: { type: 'string', title: 'Name', minLength: 1, maxLength: 100 } },
          required: ['name'],
        },
      }),
    });
    if (person.action === 'accept') return greeting(String(person.content?.['name']));
    throw fail('E_PRECONDITION_FAILED', 'The user did not tell a name.', {
      suggestion: 'Call again with "name".',
    });
  },
});

const greeting = (name: string): string => `Hello, ${name}!`;
