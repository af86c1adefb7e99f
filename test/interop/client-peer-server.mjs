// One server for both generations of the SDK: what differs between them is handed in as `sdk`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

/** Calls that wait, by key: what became of them is told to the calls that ask. */
const waits = new Map();

function waiting(key) {
  if (!waits.has(key)) waits.set(key, { started: event(), cancelled: event() });
  return waits.get(key);
}

function event() {
  let happen;
  const happened = new Promise((resolve) => (happen = resolve));
  return { happened, happen };
}

/** What the client of a server wants to hear of; in the legacy era servers keep that themselves. */
const subscriptions = new WeakMap();

const text = (value) => ({ content: [{ type: 'text', text: value }] });
const describe = ({ action, content }) =>
  action === 'accept' ? `accept ${JSON.stringify(content ?? {})}` : action;

const form = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    colour: { type: 'string', default: 'blue' },
  },
  required: ['name'],
};

const questions = {
  ask_form: {
    request: {
      method: 'elicitation/create',
      params: { mode: 'form', message: 'What is your name?', requestedSchema: form },
    },
    render: describe,
  },
  ask_visit: {
    request: {
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Please agree.', url: 'https://example.com/agree' },
    },
    render: ({ action }) => action,
  },
  ask_model: {
    request: {
      method: 'sampling/createMessage',
      params: {
        messages: [{ role: 'user', content: { type: 'text', text: 'Say something.' } }],
        maxTokens: 10,
      },
    },
    render: ({ model, content }) => `${model}: ${content.text}`,
  },
  ask_roots: {
    request: { method: 'roots/list' },
    render: ({ roots }) => roots.map(({ uri }) => uri).join(' '),
  },
};

const colour = ({ content }) => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: `Your colour, ${content?.name}?`,
    requestedSchema: { type: 'object', properties: { colour: { type: 'string' } } },
  },
});

const soon = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Calls that a test follows by files: whoever asks may be served by several of these processes. */
function addFollowedTools(add, { z }) {
  add('hold', { file: z.string() }, async ({ file }, call) => {
    await call.progress(1, 2);
    await new Promise((resolve) => {
      call.signal.addEventListener('abort', resolve);
      if (call.signal.aborted) resolve();
    });
    writeFileSync(file, 'cancelled');
    return text('never seen');
  });
  add('step', { file: z.string(), times: z.number() }, async ({ file, times }, call) => {
    for (let step = 1; step <= times; step += 1) {
      await call.progress(step, times);
      while (!existsSync(`${file}.${step}`) && !call.signal.aborted) await soon();
    }
    return text(`took ${times} steps`);
  });
}

/** Announces what is written to a file, a URI or nothing in each line, as something that happens to all servers at once. */
export function announceFrom(file, { server, sdk, isLegacy }) {
  const linesOf = () =>
    existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];
  let seen = linesOf().length;
  const look = () => {
    const lines = linesOf();
    for (const uri of lines.slice(seen)) {
      const announced = announce(uri || undefined, { server, sdk, isLegacy });
      announced.catch(() => clearInterval(timer));
    }
    seen = lines.length;
  };
  const timer = setInterval(look, 10);
  timer.unref();
}

async function announce(uri, { server, sdk, isLegacy }) {
  if (uri === undefined) await sdk.toolsChanged(server);
  else if (!isLegacy || subscriptions.get(server).has(uri)) await sdk.resourceUpdated(server, uri);
}

function addTools(server, sdk) {
  const { z } = sdk;
  const add = (name, { output, ...shape }, run) => {
    const config = {
      description: `Tool ${name}.`,
      inputSchema: sdk.shape(shape),
      ...(output && { outputSchema: sdk.shape(output) }),
    };
    server.registerTool(name, config, (args, context) => run(args, sdk.call(context, server)));
  };
  add('echo', { text: z.string() }, (args) => text(args.text));
  add('measure', { text: z.string(), output: { characters: z.number() } }, (args) => ({
    ...text(`${args.text.length}`),
    structuredContent: { characters: args.text.length },
  }));
  add('fail', {}, () => ({ ...text('it did not work'), isError: true }));
  add('log', { level: z.string(), data: z.string() }, async ({ level, data }, call) => {
    await call.log(level, data);
    return text('logged');
  });
  add('count', { to: z.number() }, async ({ to }, call) => {
    for (let progress = 1; progress <= to; progress += 1) await call.progress(progress, to);
    return text(`counted to ${to}`);
  });
  add('wait', { key: z.string() }, async ({ key }, call) => {
    await new Promise((resolve) => {
      call.signal.addEventListener('abort', resolve);
      if (call.signal.aborted) resolve();
      waiting(key).started.happen();
    });
    waiting(key).cancelled.happen();
    return text('never seen');
  });
  for (const stage of ['started', 'cancelled']) {
    add(`wait_until_${stage}`, { key: z.string() }, async ({ key }) => {
      await waiting(key)[stage].happened;
      return text(`${key} ${stage}`);
    });
  }
  add('announce', { uri: z.string().optional() }, async ({ uri }, call) => {
    await announce(uri, { server, sdk, isLegacy: call.legacy });
    return text('announced');
  });
  for (const [name, { request, render }] of Object.entries(questions)) {
    add(name, {}, (_args, call) => call.ask([() => request], ([answer]) => text(render(answer))));
  }
  add('ask_in_turn', {}, (_args, call) =>
    call.ask([() => questions.ask_form.request, ([who]) => colour(who)], ([who, tint]) =>
      text(`${describe(who)} ${describe(tint)}`),
    ),
  );
  add('fill', { bytes: z.number() }, ({ bytes }) => text('x'.repeat(bytes)));
  addFollowedTools(add, sdk);
}

function addContent(server, sdk) {
  const { z } = sdk;
  const read = (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: uri.href }] });
  const names = ['one', 'two', 'three', 'four', 'five'];
  for (const name of names) server.registerResource(name, `memo://${name}`, {}, read);
  const complete = { book: (value) => ['prose', 'poems'].filter((book) => book.startsWith(value)) };
  const template = new sdk.ResourceTemplate('shelf://{book}', { list: undefined, complete });
  server.registerResource('shelf', template, {}, read);
  const language = sdk.completable(z.string(), (value) =>
    ['rust', 'ruby', 'perl'].filter((known) => known.startsWith(value)),
  );
  const config = { description: 'Reviews code.', argsSchema: sdk.shape({ language }) };
  server.registerPrompt('review', config, (args) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `Review this ${args.language}.` } }],
  }));
  const pageSize = 2;
  sdk.handle(server, 'resources/list', ({ params }) => {
    const start = Number(params?.cursor ?? 0);
    const end = start + pageSize;
    const page = names.slice(start, end).map((name) => ({ name, uri: `memo://${name}` }));
    return { resources: page, ...(end < names.length && { nextCursor: String(end) }) };
  });
  const subscribed = new Set();
  subscriptions.set(server, subscribed);
  sdk.handle(server, 'resources/subscribe', ({ params }) => {
    subscribed.add(params.uri);
    return {};
  });
  sdk.handle(server, 'resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri);
    return {};
  });
}

/** What the server says about itself. */
export const info = { name: 'peer', title: 'Peer', version: '3.2.1' };

/** How the server is made, besides its name. */
export const options = {
  instructions: 'Try echo first.',
  capabilities: {
    logging: {},
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
  },
};

/** Gives a server its tools, resources and prompts. */
export function furnish(server, sdk) {
  addTools(server, sdk);
  addContent(server, sdk);
  return server;
}

/** Serves requests of `node:http` at a port of the system's choice, or the given one. */
export async function listen(handle, port = Number(process.env['PORT'] ?? 0)) {
  const { createServer } = await import('node:http');
  createServer((request, response) => {
    handle(request, response).catch((error) => {
      process.stderr.write(`${error.stack}\n`);
      response.destroy();
    });
  }).listen(port);
}
