/** What clients may ask, in any revision. */
export const requestMethods: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'server/discover',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
  'completion/complete',
  'logging/setLevel',
  'tasks/get',
  'tasks/result',
  'tasks/list',
  'tasks/cancel',
  'tasks/update',
  'skills/list',
  'skills/get',
  'resources/directory/read',
]);

/** Methods whose modern result may be a request for input. */
export const mayAskInput: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
]);

/** Methods whose modern result says how long it may be kept. */
export const cacheable: ReadonlySet<string> = new Set([
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'skills/list',
  'skills/get',
  // The page of the extension does not ask for it here; clients of others do.
  'resources/directory/read',
]);

/** Lists that an older host may ask for whether or not they are offered: some give up on an error. */
export const emptyLists: ReadonlyMap<string, object> = new Map([
  ['tools/list', { tools: [] }],
  ['prompts/list', { prompts: [] }],
  ['resources/list', { resources: [] }],
  ['resources/templates/list', { resourceTemplates: [] }],
]);

/** The parameter that the `Mcp-Name` header repeats, by method. */
export const namedBy: ReadonlyMap<string, 'name' | 'uri' | 'taskId'> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

/** Methods that change nothing when they run twice: they may be asked again when an answer was lost. */
export const repeatable: ReadonlySet<string> = new Set([
  ...cacheable,
  'ping',
  'prompts/get',
  'completion/complete',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/get',
  'tasks/result',
  'tasks/list',
  'tasks/update',
  'tasks/cancel',
]);
