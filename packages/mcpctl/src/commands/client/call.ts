import { KitError } from 'mcp-kit/internal';
import { checkArguments, type Issue } from 'mcp-kit/client';
import { rpcErrors, RpcError, type Params } from 'mcp-kit/jsonrpc';
import type { ServerHandle } from '@mcp-kit/host';
import type { CallToolResult, Tool } from 'mcp-kit/protocol';
import { usageError, type Options, type OptionValues } from '../../args.ts';
import { readJsonObject, type JsonSource } from '../../arguments/json-input.ts';
import { readNumber } from '../../arguments/number.ts';
import { readCallWords } from '../../arguments/call-words.ts';
import { unknownArguments, withPairs } from '../../arguments/pairs.ts';
import { defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { withManager } from '../../open.ts';
import { print, printJson, warn } from '../../output.ts';
import { findTool } from '../../show/find.ts';
import { showOutcome } from '../../show/outcome.ts';
import { progressOf } from '../../show/progress.ts';
import { inputOf, toolSignature } from '../../show/signature.ts';
import { commandFor } from '../../target.ts';
import { rememberTask, type BegunTask } from '../../tasks/begun.ts';
import { plainField } from '../../terminal/plain-text.ts';
import { callRepeatedly, lookUpRepeatedly } from './call-retry.ts';

const options = {
  args: {
    type: 'string',
    value: 'JSON',
    help: 'All arguments as a JSON object; - reads standard input.',
  },
  'arguments-json': { type: 'string', value: 'JSON', help: 'The same as --args.' },
  'args-file': {
    type: 'string',
    value: 'FILE',
    help: 'All arguments as a JSON object in a file.',
  },
  output: {
    type: 'string',
    value: 'DIR',
    help: 'Save images, sounds and files of the result here.',
  },
  detach: {
    type: 'boolean',
    help: 'Do not wait: where the call goes on as a task, print its id. mcpctl tasks does the rest.',
  },
  'no-warm': {
    type: 'boolean',
    help: 'Start the server for this call, and end it after; MCPCTL_WARM=off does the same for all calls.',
  },
  retry: {
    type: 'string',
    value: 'N',
    bare: '3',
    help: 'Try again up to N times (3) where that cannot do anything twice.',
  },
} as const satisfies Options;

type Values = OptionValues<typeof options>;

export const call = defineCommand({
  positionals: [
    { name: 'SERVER', help: 'The server that has the tool.' },
    {
      name: 'TOOL',
      help: 'The tool; SERVER.TOOL and TOOL(a: 2) are understood, too.',
      optional: true,
    },
    {
      name: 'NAME=VALUE',
      help: 'Arguments, by the types of the schema; - reads a JSON object from standard input.',
      optional: true,
      many: true,
    },
  ],
  options,
  examples: [
    { command: 'mcpctl call demo echo text=hello times=3', about: 'Types follow from the schema.' },
    {
      command: 'mcpctl call demo search tag=a tag=b filter.year=2026',
      about: 'An array, and an object within.',
    },
    {
      command: 'mcpctl call demo search limit:=5 --args \'{"query":"x"}\'',
      about: 'NAME:=JSON, on top of an object.',
    },
    {
      command: 'mcpctl call \'demo.echo(text: "hi", times: 3)\'',
      about: 'As it is written elsewhere.',
    },
    { command: 'echo \'{"text":"hi"}\' | mcpctl call demo echo -', about: 'From standard input.' },
    {
      command: 'mcpctl call echo text=hi -- npx some-server',
      about: 'Of a server that is in no file.',
    },
    {
      command: 'mcpctl call site execute_site_build --detach',
      about: 'A task that is asked for later.',
    },
    {
      command: 'mcpctl call notes create_note_text text=hi --retry',
      about: 'Until it is done, but done once.',
    },
  ],
  notes: [
    'Arguments are checked against the schema of the tool before anything is sent.',
    `The exit code is ${exitCodes.toolFailed} when the tool says that it failed.`,
    'Where neither output is a terminal, the server stays open for 120 seconds (MCPCTL_WARM=SECONDS) after a call, and answers the next from the same folder and environment. The entry, what it runs, its approval and logins are looked at before each. What is typed after -- is started anew each time.',
    '--retry gives tools that take an idempotencyKey one for all tries. What only reads, or says that it is idempotent, is repeated without. Anything else is not repeated once it may have run.',
  ],
  async run({ args, values, globals, stop }) {
    const startedMs = performance.now();
    const said = { server: args.SERVER, tool: args.TOOL, words: args['NAME=VALUE'] };
    const { server, tool: name, words: typed, config } = await readCallWords(said, globals);
    const retries = readRetries(values.retry);
    const base = await readJsonObject(sourcesOf(values, typed), stop);
    const pairs = typed.filter((word) => word !== '-');
    return withManager({ globals, stop, server, config }, async ({ manager, entries }) => {
      const handle = manager.server(server);
      const retrying = { retries, globals, stop };
      const look = (): Promise<Tool | undefined> => lookUp(handle, name, { server, globals, stop });
      const tool = await (retries === 0 ? look() : lookUpRepeatedly(look, retrying));
      const given = withPairs(base ?? {}, pairs, tool === undefined ? {} : inputOf(tool));
      if (tool !== undefined) check(tool, given, { server, globals });
      if (values.detach === true) {
        const session = await handle.connect({ signal: stop });
        const task = await session.startTask(name, given, { signal: stop });
        if (task.id !== undefined) return begun({ server, tool: name, id: task.id }, globals);
        const result = await task.result();
        return showOutcome(result, { globals, server, output: values.output, startedMs });
      }
      const callOnce = async (sent: Params): Promise<CallToolResult> => {
        const progress = progressOf(globals);
        return handle
          .callTool(name, sent, { signal: stop, onProgress: progress.report })
          .finally(() => progress.end());
      };
      const entry = entries.find((one) => one.name === server);
      const result = await (retries === 0
        ? callOnce(given)
        : callRepeatedly(callOnce, {
            ...retrying,
            tool: tool ?? { ...anyTool, name },
            args: given,
            isOurProcess: entry?.transport.kind === 'stdio',
          }));
      return showOutcome(result, { globals, server, output: values.output, startedMs });
    });
  },
});

/** Remembers a task, and says by which id it is asked for. */
async function begun(task: Omit<BegunTask, 'begunAt'>, globals: Globals): Promise<number> {
  await rememberTask({ ...task, begunAt: new Date().toISOString() });
  if (globals.json) printJson(task);
  else print(plainField(task.id));
  const next = commandFor(globals.target, task.server, ['tasks wait', task.id.slice(0, 12)]);
  warn(globals, plainField(`it goes on as a task: ${next}`));
  return exitCodes.ok;
}

const maxRetries = 100;

function readRetries(text = '0'): number {
  const hint = `Use a number up to ${maxRetries}, after an equals sign: --retry=5`;
  return readNumber('--retry', text, { most: maxRetries, hint });
}

const anyTool: Tool = { name: 'any', inputSchema: { type: 'object' } };

/** What is known of the tool. A server that does not list tools may have them all the same. */
async function lookUp(
  handle: ServerHandle,
  name: string,
  { server, globals, stop }: Place & { readonly stop: AbortSignal },
): Promise<Tool | undefined> {
  try {
    const listing = await handle.knownTools({ signal: stop });
    return findTool(listing, name, { server, target: globals.target });
  } catch (error) {
    if (error instanceof RpcError && error.code === rpcErrors.methodNotFound) return undefined;
    throw error;
  }
}

function sourcesOf(values: Values, typed: readonly string[]): readonly JsonSource[] {
  const given = (['args', 'arguments-json', 'args-file'] as const).flatMap((name): JsonSource[] => {
    const value = values[name];
    const kind = name === 'args-file' ? 'file' : 'text';
    return value === undefined ? [] : [{ option: `--${name}`, kind, value }];
  });
  return typed.includes('-') ? [...given, { option: '-', kind: 'text', value: '-' }] : given;
}

interface Place {
  readonly server: string;
  readonly globals: Globals;
}

/** Says what is wrong with the arguments before the server is sent them. */
function check(tool: Tool, given: Params, { server, globals }: Place): void {
  const [issue] = issuesOf(tool, given, globals);
  if (issue !== undefined) {
    throw usageError(
      `${tool.name}: ${issue.message}`,
      `It takes ${toolSignature(tool)}. More: ${commandFor(globals.target, server, ['tools', tool.name])}`,
    );
  }
  for (const { name, near } of unknownArguments(given, inputOf(tool))) {
    // A list may leave out what the server takes.
    const said =
      near === undefined
        ? `lists no argument ${name}`
        : `has no argument ${name}; did you mean ${near}?`;
    warn(globals, plainField(`warning: ${tool.name} ${said}`));
  }
}

function issuesOf(tool: Tool, given: Params, globals: Globals): readonly Issue[] {
  try {
    return checkArguments(tool, given);
  } catch (error) {
    if (!(error instanceof KitError)) throw error;
    warn(globals, plainField(`warning: arguments are not checked: ${error.message}`));
    return [];
  }
}
