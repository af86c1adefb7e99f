// What the fixture remembers between calls, and the tools that change it.
import { createDeferred } from 'mcp-kit/internal';
import { tool } from 'mcp-kit/tools';

const text = { type: 'string' };
const only = (name) => ({ type: 'object', properties: { [name]: text }, required: [name] });

/** Calls that wait, by the key they were called with. */
export function waitingRoom() {
  const places = new Map();
  return {
    at(key) {
      const place = places.get(key) ?? {
        begun: createDeferred(),
        letGo: createDeferred(),
        cancelled: createDeferred(),
      };
      places.set(key, place);
      return place;
    },
  };
}

/** Calls that wait for the test, and changes of what is listed. */
export function statefulTools({ waiting, change }) {
  const key = only('key');
  return [
    tool({
      name: 'wait',
      description: 'Reports that it has begun, then waits to be cancelled or let go.',
      input: key,
      run: async ({ key: name }, context) => {
        const place = waiting.at(name);
        await context.progress(1, 2, 'begun');
        context.signal.addEventListener('abort', place.cancelled.resolve, { once: true });
        place.begun.resolve();
        await Promise.race([place.letGo.promise, place.cancelled.promise]);
        await context.progress(2, 2, 'let go');
        return `waited for ${name}`;
      },
    }),
    tool({
      name: 'wait_often',
      description: 'Reports each step, and waits to be let go after it.',
      input: {
        type: 'object',
        properties: { key: text, times: { type: 'integer' } },
        required: ['key', 'times'],
      },
      run: async ({ key: name, times }, context) => {
        for (let step = 1; step <= times; step++) {
          await context.progress(step, times, `step ${step}`);
          await waiting.at(`${name} ${step}`).letGo.promise;
        }
        return `waited ${times} times`;
      },
    }),
    tool({
      name: 'let_go',
      description: 'Lets the call that waits under this key go on.',
      input: key,
      run: ({ key: name }) => {
        waiting.at(name).letGo.resolve();
        return `${name} may go on`;
      },
    }),
    tool({
      name: 'wait_for_cancellation',
      description: 'Returns when the waiting call of this key has been cancelled.',
      input: key,
      run: async ({ key: name }) => {
        await waiting.at(name).cancelled.promise;
        return `${name} was cancelled`;
      },
    }),
    tool({
      name: 'hang_up_and_answer',
      description: 'Lets the client hang up and fetch the answer later.',
      run: async (_args, context) => {
        context.release({ retryMs: 10 });
        await new Promise((resolve) => setTimeout(resolve, 30));
        return 'fetched later';
      },
    }),
    tool({
      name: 'change_list',
      description: 'Adds one entry to a list.',
      input: {
        type: 'object',
        properties: { kind: { enum: ['tools', 'prompts', 'resources'] }, name: text },
        required: ['kind', 'name'],
      },
      run: ({ kind, name }) => {
        change.add(kind, name);
        return `added ${name}`;
      },
    }),
    tool({
      name: 'touch',
      description: 'Says that a resource has changed.',
      input: only('uri'),
      run: ({ uri }) => {
        change.touch(uri);
        return `touched ${uri}`;
      },
    }),
  ];
}
