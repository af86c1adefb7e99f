// What programs do with a session.

export const impatient = { timeoutMs: 150, maxTotalMs: 400 };

/** What a client is asked it answers as it should. */
export const handlers = {
  elicit: () => ({ action: 'decline' }),
  sample: () => ({ model: 'm', role: 'assistant', content: { type: 'text', text: 'no' } }),
  roots: [],
};

async function upTo(limit, items) {
  let seen = 0;
  for await (const _ of items) if (++seen > limit) break;
}

/** Anything a program does with a session; whatever the server answers, only errors may come of it. */
export async function use(session) {
  const calls = [
    () => session.listTools(),
    () => session.callTool('echo', { message: 'x' }),
    () => session.callTool('add', { a: 'x'.repeat(50) }),
    () => session.callTool('ask'),
    () => session.callTool('count', { items: ['a', 'b'] }),
    () => session.listResources(),
    () => session.readResource('test://file'),
    () => session.listPrompts(),
    () => session.getPrompt('greet', {}),
    () => session.ping(),
    () => session.request('made/up', { x: 1 }),
    () => session.subscribe('test://file'),
    () => session.complete({ type: 'ref/prompt', name: 'greet' }, { name: 'a', value: 'b' }),
    () => session.listen({ toolsListChanged: true }).then((heard) => heard.close()),
    () => upTo(5000, session.tools()),
    () => upTo(5000, session.resources()),
  ];
  await Promise.allSettled(calls.map((call) => call()));
}
