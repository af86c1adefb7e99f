// What can be seen of a server through one client: a plain object, so that two of them can be compared.

const maxPages = 50;
const lists = [
  ['tools/list', 'tools', 'tools'],
  ['prompts/list', 'prompts', 'prompts'],
  ['resources/list', 'resources', 'resources'],
  ['resources/templates/list', 'resourceTemplates', 'resources'],
];

/** Opens a client, asks everything that is harmless, and closes it. */
export async function observe(open) {
  const began = performance.now();
  let client;
  try {
    client = await open();
  } catch (error) {
    return { opened: false, error: wordsOf(error), stderr: error.stderr ?? '' };
  }
  const openMs = Math.round(performance.now() - began);
  try {
    return { opened: true, openMs, era: client.era, seen: await askAll(client) };
  } finally {
    await client.close().catch(() => {});
  }
}

async function askAll(client) {
  const { capabilities = {} } = client.facts;
  const seen = { ...client.facts };
  for (const [method, key, capability] of lists) {
    if (capabilities[capability]) {
      seen[method] = await unlessUnknown(() => allPages(client, method, key));
    }
  }
  if (client.era === 'legacy') seen.ping = await outcome(() => client.ask('ping', {}));
  seen['no/such/method'] = await unlessUnknown(() => client.ask('no/such/method', {}));
  for (const kind of ['tools', 'resources', 'prompts', 'completions']) {
    if (capabilities[kind]) Object.assign(seen, await askAbout[kind](client, seen));
  }
  return seen;
}

const listed = (seen, method) => seen[method]?.result ?? [];

/** What is asked of a server that has these. */
const askAbout = {
  async tools(client, seen) {
    const call = (name, args = {}) => outcome(() => client.call({ name, arguments: args }));
    const told = { 'call of no tool': await call('no_such_tool') };
    for (const [what, tool] of harmlessCalls(listed(seen, 'tools/list'))) {
      told[`${what}: ${tool.name}`] = await call(tool.name);
    }
    return told;
  },
  async resources(client, seen) {
    const read = (uri) => unlessUnknown(() => client.ask('resources/read', { uri }));
    const [first] = listed(seen, 'resources/list');
    const told = { 'read of nothing': await read('none://x') };
    if (first) told[`read ${first.uri}`] = await read(first.uri);
    return told;
  },
  async prompts(client, seen) {
    const get = (name) => unlessUnknown(() => client.ask('prompts/get', { name, arguments: {} }));
    const isFree = ({ arguments: all = [] }) => !all.some(({ required }) => required);
    const free = listed(seen, 'prompts/list').find(isFree);
    const told = { 'no such prompt': await get('no_such_prompt') };
    if (free) told[`prompt ${free.name}`] = await get(free.name);
    return told;
  },
  async completions(client, seen) {
    const prompt = listed(seen, 'prompts/list').find(({ arguments: all = [] }) => all.length > 0);
    const ref = { type: 'ref/prompt', name: prompt?.name ?? 'none' };
    const argument = { name: prompt?.arguments[0].name ?? 'none', value: '' };
    const params = { ref, argument };
    return { completion: await unlessUnknown(() => client.ask('completion/complete', params)) };
  },
};

/** The modern revision wants 404 where a server does not know the method itself, and it goes over HTTP; nowhere else. */
async function unlessUnknown(ask) {
  const seen = await outcome(ask);
  const { status, ...error } = seen.error ?? {};
  return status === 404 && error.code === -32601 ? { error } : seen;
}

/** Says nothing of writing: by its annotations, or else by its name. */
const reads = ({ name, annotations }) =>
  annotations?.readOnlyHint ?? /(^|[_-])(get|list|read|search|find|show|query|fetch)/.test(name);

/** One tool that needs arguments, to be called without, and one that needs none; both only read. */
export function harmlessCalls(tools) {
  const needs = (tool) => (tool.inputSchema?.required ?? []).length;
  const readers = tools.filter(reads);
  const strict = readers.find(needs);
  const free = readers.find((tool) => !needs(tool));
  return [...(strict ? [['bad arguments', strict]] : []), ...(free ? [['call', free]] : [])];
}

async function allPages(client, method, key) {
  const all = [];
  let cursor;
  for (let page = 0; page < maxPages; page += 1) {
    const result = await client.ask(method, cursor === undefined ? {} : { cursor });
    all.push(...(result[key] ?? []));
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  return all;
}

async function outcome(ask) {
  try {
    return { result: plain(await ask()) };
  } catch (error) {
    return { error: wordsOf(error) };
  }
}

/** Without what each client says in words of its own: that a connection is gone, that time is up, what HTTP refused. */
function wordsOf(error) {
  const { code, message, data, status } = posted(error.data) ?? error;
  const words = String(message).replace(/^(MCP error -?\d+: )+/, '');
  if (isLost.test(words)) return { lost: true };
  if (isLate.test(words)) return { late: true };
  return {
    code,
    message: words,
    ...(data === undefined ? {} : { data }),
    ...(status ? { status } : {}),
  };
}

const isLost = /connection closed|not connected|was lost \d+ times/i;
const isLate = /request timed out|no answer within/i;

function posted(data) {
  try {
    return { ...JSON.parse(data.text).error, status: data.status };
  } catch {
    return undefined;
  }
}

/** Without what only one era says about a result. */
function plain(result) {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return result;
  const { resultType: _, ttlMs: __, cacheScope: ___, _meta, ...rest } = result;
  const { 'io.modelcontextprotocol/serverInfo': ____, ...meta } = _meta ?? {};
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}
