// A to-do list whose every write can be tried, repeated and traced: node examples/todo-store.mjs
// Serves over stdio. `--demo` shows instead what a careful caller does, and checks it.
import { createServer } from 'mcp-kit/server';
import { fail, tool, toolSet } from 'mcp-kit/tools';
import { governed } from 'mcp-kit/tools/governed';
import { serveStdio } from 'mcp-kit/transport';
import { demo } from './lib/demo.mjs';

const todos = new Map();
const id = { type: 'string', description: 'Which item.' };

function find(todoId) {
  const todo = todos.get(todoId);
  if (todo === undefined) throw fail('E_NOT_FOUND', `There is no item "${todoId}".`);
  return todo;
}

const listTodoItems = tool({
  name: 'list_todo_items',
  description: 'Lists what is to be done.',
  category: 'todo',
  safety: 'readonly',
  examples: [{ input: {} }, { input: { open: true } }],
  input: {
    type: 'object',
    properties: { open: { type: 'boolean', description: 'True: only what is not done yet.' } },
    additionalProperties: false,
  },
  output: {
    type: 'object',
    properties: { items: { type: 'array', items: { type: 'object' } } },
    required: ['items'],
  },
  run({ open = false }) {
    const items = [...todos].map(([todoId, todo]) => ({ todoId, ...todo }));
    return { items: items.filter(({ done }) => !open || !done) };
  },
});

const createTodoItem = tool({
  name: 'create_todo_item',
  description: 'Adds something to be done.',
  category: 'todo',
  safety: 'mutating',
  examples: [{ input: { text: 'Buy milk' } }],
  input: {
    type: 'object',
    properties: { text: { type: 'string', minLength: 1, description: 'What is to be done.' } },
    required: ['text'],
    additionalProperties: false,
  },
  output: { type: 'object', properties: { todoId: { type: 'string' } }, required: ['todoId'] },
  plan({ text }, context) {
    // Under one plan and one idempotency key this is always the same name.
    const todoId = context.newId('todo');
    const changes = [{ type: 'create', target: todoId, to: { text, done: false } }];
    return { changes, state: todos.has(todoId), todoId, text };
  },
  apply({ todoId, text }) {
    todos.set(todoId, { text, done: false });
    return { todoId };
  },
});

const setTodoDone = tool({
  name: 'set_todo_done',
  description: 'Says whether something is done.',
  category: 'todo',
  safety: 'mutating',
  idempotent: true,
  errors: { E_NOT_FOUND: 'There is no such item.' },
  examples: [{ input: { todoId: 'x', done: true }, fails: 'E_NOT_FOUND' }],
  input: {
    type: 'object',
    properties: { todoId: id, done: { type: 'boolean', description: 'Whether it is done.' } },
    required: ['todoId', 'done'],
    additionalProperties: false,
  },
  plan({ todoId, done }) {
    const { done: from } = find(todoId);
    const changes =
      from === done ? [] : [{ type: 'update', target: todoId, field: 'done', from, to: done }];
    return { changes, state: from, todoId, done };
  },
  apply({ todoId, done }) {
    find(todoId).done = done;
  },
});

const deleteTodoItem = tool({
  name: 'delete_todo_item',
  description: 'Removes an item for good.',
  category: 'todo',
  safety: 'destructive',
  riskLevel: 'medium',
  errors: { E_NOT_FOUND: 'There is no such item.' },
  examples: [{ input: { todoId: 'x' }, fails: 'E_NOT_FOUND' }],
  input: {
    type: 'object',
    properties: { todoId: id },
    required: ['todoId'],
    additionalProperties: false,
  },
  plan({ todoId }) {
    const { text, done } = find(todoId);
    return {
      changes: [{ type: 'delete', target: todoId, from: text }],
      state: { text, done },
      todoId,
    };
  },
  apply({ todoId }) {
    todos.delete(todoId);
  },
});

const tools = toolSet([listTodoItems, createTodoItem, setTodoDone, deleteTodoItem], {
  // Nothing is deleted that nobody has looked at before.
  contract: governed({ requirePlan: 'destructive' }),
});
const server = createServer({ name: 'todo', version: '1.0.0', features: [tools] });

if (process.argv.includes('--demo')) {
  await demo(server, async (call) => {
    const milk = { text: 'Buy milk', idempotencyKey: 'milk' };
    const { todoId } = (await call('create_todo_item', milk)).data;
    const again = await call('create_todo_item', milk);
    console.log('asked twice, done once:', again.data.todoId === todoId, again.meta.replayed);
    await call('set_todo_done', { todoId, done: true });
    console.log('without a plan:', (await call('delete_todo_item', { todoId })).error.code);
    const { planToken, changes } = (await call('delete_todo_item', { todoId, dryRun: true })).data;
    console.log('it would:', changes[0].type, changes[0].from);
    await call('delete_todo_item', { todoId, planToken });
    console.log('left:', (await call('list_todo_items')).data.items.length);
  });
} else {
  await serveStdio(server);
}
