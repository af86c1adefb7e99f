import { KitError } from 'mcp-kit/internal';
import type { Trace } from 'mcp-kit/tools';
import { findTrace, parseTraces, pickTrace, renderTrace } from 'mcp-kit/tools/inspect';
import { usageError, type Options, type OptionValues } from '../../args.ts';
import { defineCommand, type Invocation } from '../../command.ts';
import { readText } from '../../arguments/text-file.ts';
import { askGoverned } from '../../governed/ask.ts';
import { helpHint } from '../../help.ts';
import { withManager } from '../../open.ts';
import { count, print, printJson } from '../../output.ts';
import { plainLine, plainText } from '../../terminal/plain-text.ts';
import { columnsOf } from '../../terminal/style.ts';

const options = {
  last: { type: 'boolean', help: 'The latest call that is remembered.' },
  slow: { type: 'boolean', help: 'The call that took longest.' },
  file: { type: 'string', value: 'FILE', help: 'Look in this file of traces (NDJSON).' },
} as const satisfies Options;

type Values = OptionValues<typeof options>;

export const trace = defineCommand({
  positionals: [
    {
      name: 'ID',
      help: 'The call: traceId of its answer or of a log, or the trace of W3C it is part of. Not with --last or --slow.',
      optional: true,
    },
    { name: 'SERVER', help: 'The server that was called.', optional: true },
  ],
  options,
  examples: [
    { command: 'mcpctl trace --last notes', about: 'Where the time of the latest call went.' },
    { command: 'mcpctl trace --slow --file traces.ndjson', about: 'The slowest of a file.' },
    {
      command: 'mcpctl trace trc_0af7651916cd43dd --url http://127.0.0.1:3000/mcp',
      about: 'One call.',
    },
  ],
  notes: [
    'A server that is started anew remembers nothing: ask one that keeps running, or read its file.',
  ],
  async run({ args, values, globals, stop }) {
    const wanted = readWanted(args, values);
    const found =
      values.file === undefined
        ? await askServer(wanted, { globals, stop })
        : await lookInFile(wanted, values.file);
    if (globals.json) {
      printJson(found);
      return;
    }
    print(plainText(renderTrace(oneLine(found), columnsOf(process.stdout))));
  },
});

/** The arguments of `get_trace_by_id`. */
type Which = { readonly traceId: string } | { readonly pick: 'last' | 'slowest' };

interface Wanted {
  readonly which: Which;
  readonly server: string | undefined;
}

interface Words {
  readonly ID?: string | undefined;
  readonly SERVER?: string | undefined;
}

function readWanted(words: Words, values: Values): Wanted {
  const { last, slow, file } = values;
  if (last && slow) throw usageError('--last and --slow exclude each other', 'Leave out one.');
  const wanted = last || slow ? picked(words, last ? 'last' : 'slowest') : named(words);
  if (file === undefined || wanted.server === undefined) return wanted;
  throw usageError(
    `--file and ${wanted.server} exclude each other`,
    'Look in a file, or ask a server.',
  );
}

function named({ ID: traceId, SERVER: server }: Words): Wanted {
  if (traceId !== undefined) return { which: { traceId }, server };
  throw usageError('which call?', `Give an ID, --last or --slow. ${helpHint('trace')}`);
}

/** Without an id, the first word is the server. */
function picked({ ID: first, SERVER: second }: Words, pick: 'last' | 'slowest'): Wanted {
  if (first === undefined || second === undefined)
    return { which: { pick }, server: second ?? first };
  const hint = `With --last and --slow there is no ID. ${helpHint('trace')}`;
  throw usageError(`unexpected argument "${first}"`, hint);
}

async function lookInFile({ which }: Wanted, file: string): Promise<Trace> {
  const hint = 'Name a file that traceFile wrote.';
  const text = await readText(file, { name: `--file ${file}`, hint });
  const latestFirst = parseTraces(text).toReversed();
  const found =
    'pick' in which ? pickTrace(latestFirst, which.pick) : findTrace(latestFirst, which.traceId);
  if (found !== undefined) return found;
  const [latest] = latestFirst;
  if (latest === undefined) {
    throw usageError(`${file} has no traces`, 'It should have one as JSON on each line.');
  }
  const what = 'pick' in which ? 'no call' : `no call ${which.traceId}`;
  throw usageError(
    `${file} has ${what} among ${count(latestFirst.length, 'trace')}`,
    `The latest is ${latest.traceId}. Without an ID: --last, --slow.`,
  );
}

type Run = Pick<Invocation, 'globals' | 'stop'>;

async function askServer({ which, ...wanted }: Wanted, run: Run): Promise<Trace> {
  return withManager({ ...run, server: wanted.server }, async ({ manager, entries }) => {
    const server = wanted.server ?? theOnly(entries.map(({ name }) => name));
    const handle = manager.server(server);
    const { tools } = await handle.listTools({ signal: run.stop });
    const question = { tools, args: which, stop: run.stop };
    const told = await askGoverned(handle, 'get_trace_by_id', question);
    if (told === undefined) {
      throw new KitError('capability_missing', `${server} does not tell of its calls`, {
        hint: 'Only governed servers have the tool get_trace_by_id. Its file of traces: --file FILE',
      });
    }
    if ('refused' in told) {
      throw usageError(
        `${server}: ${told.refused}`,
        'A server that was started for this question remembers nothing: ask one that keeps running, or read its file of traces with --file FILE.',
      );
    }
    return checked(told.known, server);
  });
}

function theOnly(names: readonly string[]): string {
  const [name, other] = names;
  if (name !== undefined && other === undefined) return name;
  throw usageError('of which server?', `There are: ${names.join(', ')}. ${helpHint('trace')}`);
}

function checked(value: object, server: string): Trace {
  const [found] = parseTraces(JSON.stringify(value));
  if (found !== undefined) return found;
  throw new KitError('invalid_answer', `${server}: what it tells of the call is not a trace`);
}

/** Names of others, each of which must stay on its line. */
function oneLine(found: Trace): Trace {
  const { tool, spans = [] } = found;
  const plain = spans.map((span) => ({ ...span, name: plainLine(span.name) }));
  return { ...found, tool: plainLine(tool), spans: plain };
}
