import { KitError, loggingLevels } from 'mcp-kit/internal';
import type { Notification } from 'mcp-kit/jsonrpc';
import type { ServerStatus } from '@mcp-kit/host';
import type { OptionValues } from '../../args.ts';
import { readMs, readNumber } from '../../arguments/number.ts';
import { defineCommand } from '../../command.ts';
import type { Globals } from '../../globals.ts';
import { withManager } from '../../open.ts';
import { print, printJson, warn } from '../../output.ts';
import { fired } from '../../stop.ts';
import { plainLine, plainText } from '../../terminal/plain-text.ts';
import { createStyle } from '../../terminal/style.ts';

const watchOptions = {
  tools: { type: 'boolean', help: 'Tell when the list of tools changes.' },
  prompts: { type: 'boolean', help: 'Tell when the list of prompts changes.' },
  resources: { type: 'boolean', help: 'Tell when the list of resources changes.' },
  resource: {
    type: 'string',
    multiple: true,
    value: 'URI',
    help: 'Tell when this resource changes. May be repeated.',
  },
  log: {
    type: 'string',
    choices: loggingLevels,
    value: 'LEVEL',
    help: `Tell log messages from this level on: ${loggingLevels.join(', ')}.`,
  },
  for: { type: 'string', value: 'MS', help: 'End after this time.' },
  count: { type: 'string', value: 'N', help: 'End after so many notifications.' },
} as const;

type Values = OptionValues<typeof watchOptions>;

export const watch = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server to listen to.' }],
  options: watchOptions,
  examples: [
    { command: 'mcpctl watch demo', about: 'Everything it says by itself, until Ctrl-C.' },
    {
      command: 'mcpctl watch demo --resource demo://status --count 1',
      about: 'Wait for one change.',
    },
    { command: 'mcpctl watch demo --log debug --json', about: 'Log messages, as lines of JSON.' },
  ],
  notes: ['Without --tools, --prompts, --resources and --resource, all that it says is told.'],
  async run({ args, values, globals, stop }) {
    const { SERVER: server } = args;
    const isWanted = selection(values);
    const end = new Ending(readCount(values.count));
    const forMs = readMs('--for', values.for);
    const more = {
      onNotification: (_: string, notification: Notification): void => {
        if (isWanted(notification.method) && end.admit()) show(notification, globals);
      },
      onChange: (status: ServerStatus): void => {
        if (status.state === 'stopped') end.fail(lost(status));
      },
    };
    await withManager({ globals, stop, server, more }, async ({ manager }) => {
      const session = await manager.server(server).connect({ signal: stop });
      const options = { signal: stop };
      for (const uri of values.resource ?? []) await session.subscribe(uri, options);
      if (values.log !== undefined) await session.setLogLevel(values.log, options);
      warn(globals, plainLine(`watching ${server}; stop with Ctrl-C`));
      const timer = forMs === undefined ? undefined : setTimeout(() => end.finish(), forMs);
      // Nobody reads any more, as in `mcpctl watch demo | head -1`.
      process.stdout.once('error', end.finish);
      try {
        await Promise.race([end.ended, fired(stop)]);
      } finally {
        clearTimeout(timer);
        process.stdout.off('error', end.finish);
      }
    });
  },
});

/** When to stop listening: after enough, or when nothing more can come. */
class Ending {
  readonly ended: Promise<void>;
  finish: () => void = () => {};
  fail: (error: Error) => void = () => {};
  #left: number;

  constructor(count: number) {
    this.#left = count;
    this.ended = new Promise((resolve, reject) => {
      this.finish = resolve;
      this.fail = reject;
    });
    // Opening may fail, and says so itself.
    this.ended.catch(() => {});
  }

  /** Whether one more is wanted. */
  admit(): boolean {
    if (this.#left <= 0) return false;
    this.#left -= 1;
    if (this.#left === 0) this.finish();
    return true;
  }
}

/** Which notifications are told; the session has asked the server for changes of all lists by itself. */
function selection(values: Values): (method: string) => boolean {
  const { tools, prompts, resources, resource, log } = values;
  if (!tools && !prompts && !resources && resource === undefined) return () => true;
  const wanted = new Set<string>();
  if (tools) wanted.add('notifications/tools/list_changed');
  if (prompts) wanted.add('notifications/prompts/list_changed');
  if (resources) wanted.add('notifications/resources/list_changed');
  if (resource !== undefined) wanted.add('notifications/resources/updated');
  if (log !== undefined) wanted.add('notifications/message');
  return (method) => wanted.has(method);
}

function show({ method, params }: Notification, globals: Globals): void {
  if (globals.json) {
    printJson({ method, params });
    return;
  }
  const style = createStyle(globals);
  const time = new Date().toTimeString().slice(0, 8);
  const text = params === undefined ? '' : ` ${plainText(JSON.stringify(params))}`;
  print(`${style.dim(time)} ${style.bold(plainLine(method))}${text}`);
}

function lost({ name, error }: ServerStatus): Error {
  if (error instanceof KitError) return error;
  // What the system says of a broken connection, if anything.
  return new KitError('closed', `${name} hung up`, { cause: error });
}

function readCount(text: string | undefined): number {
  if (text === undefined) return Infinity;
  const hint = 'Use a whole number from 1 on.';
  return readNumber('--count', text, { least: 1, most: 999_999_999, hint });
}
