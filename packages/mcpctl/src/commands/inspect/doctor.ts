import { loadConfig, type LoadedConfig } from '@mcp-kit/host';
import { usageError, type Options, type OptionValues } from '../../args.ts';
import { reachedAs } from '../../clues.ts';
import { readJsonObject } from '../../arguments/json-input.ts';
import { defineCommand } from '../../command.ts';
import { checkPlace, entryOf, loadOptions } from '../../config.ts';
import { examine } from '../../doctor/examine.ts';
import { failedRung, type Rung } from '../../doctor/rung.ts';
import type { ToolCall } from '../../doctor/session.ts';
import { exitCodes } from '../../exit-code.ts';
import { home, type Globals } from '../../globals.ts';
import { withManager } from '../../open.ts';
import { print, printJson, sumUp } from '../../output.ts';
import { plainField } from '../../terminal/plain-text.ts';
import { createStyle, type Style } from '../../terminal/style.ts';
import type { Seen } from '../../witness.ts';
import { checkServers } from '../config/servers.ts';

/** How long a step over the network may take, unless the user says otherwise. */
const stepMs = 10_000;

const options = {
  call: { type: 'string', value: 'TOOL', help: 'Call this tool as well, as the last step.' },
  args: { type: 'string', value: 'JSON', help: 'The arguments of that call, as a JSON object.' },
} as const satisfies Options;

export const doctor = defineCommand({
  positionals: [
    { name: 'SERVER', help: 'the server to examine; without, all are checked', optional: true },
  ],
  options,
  examples: [
    { command: 'mcpctl doctor', about: 'Which servers work; the same as mcpctl servers --check.' },
    { command: 'mcpctl doctor github', about: 'Why it does not work, step by step.' },
    {
      command: 'mcpctl doctor github --call get_me',
      about: 'Why a call hangs, or the server ends in the middle of it.',
    },
    { command: 'mcpctl doctor --url https://example.com/mcp', about: 'A server in no file.' },
    { command: 'mcpctl doctor -- npx some-server', about: 'A program in no file.' },
  ],
  notes: [
    'Exit code 0 when every step works, 1 when one fails. No tool is called unless you name it.',
    'A server that is not trusted is examined within the rules for those: nothing is started, no secret is sent.',
  ],
  async run({ args: { SERVER: server }, values, globals, stop }) {
    const startedMs = performance.now();
    if (server === undefined) return checkServers({ globals, stop, startedMs });
    const config = globals.target === undefined ? await filesFor(globals) : undefined;
    const broken = config && unusable(config, server);
    const call = await readCall(values, stop);
    const rungs =
      broken === undefined ? await rungsOf(server, { globals, stop, config, call }) : [broken];
    const works = rungs.every(({ state }) => state !== 'failed');
    if (globals.json) {
      printJson({ server, ok: works, rungs: rungs.map(inOrder) });
    } else {
      const style = createStyle(globals);
      print(rungs.map((rung) => describe(rung, style)).join('\n'));
      sumUp(globals, works ? 'it works' : 'it does not work', startedMs);
    }
    return works ? exitCodes.ok : exitCodes.failed;
  },
});

/** The tool that is to be called as well. */
async function readCall(
  { call: tool, args }: OptionValues<typeof options>,
  stop: AbortSignal,
): Promise<ToolCall | undefined> {
  if (tool === undefined && args !== undefined) {
    throw usageError('--args needs --call', 'Say which tool: --call TOOL --args JSON');
  }
  const given =
    args === undefined ? [] : [{ option: '--args', kind: 'text', value: args } as const];
  return tool === undefined ? undefined : { tool, args: (await readJsonObject(given, stop)) ?? {} };
}

async function filesFor(globals: Globals): Promise<LoadedConfig> {
  checkPlace(globals);
  return loadConfig(loadOptions(globals));
}

/** What is wrong with the entry of a server, or with the file that was named, when it is not among the entries. */
function unusable({ entries, errors }: LoadedConfig, server: string): Rung | undefined {
  if (entries.some(({ name }) => name === server)) return undefined;
  const key = server.replaceAll('~', '~0').replaceAll('/', '~1');
  const found = errors.find(({ details }) =>
    `${String(details?.['pointer'])}/`.includes(`/${key}/`),
  );
  if (found === undefined) return undefined;
  const rung = failedRung('config', found);
  return { ...rung, fix: rung.fix ?? 'Correct it; mcpctl config lint shows all that is wrong.' };
}

interface Run {
  readonly globals: Globals;
  readonly stop: AbortSignal;
  readonly config: LoadedConfig | undefined;
  readonly call: ToolCall | undefined;
}

async function rungsOf(
  server: string,
  { globals, stop, config, call }: Run,
): Promise<readonly Rung[]> {
  const { root, policy, proxy, ca, timeoutMs = stepMs } = globals;
  if (config !== undefined) entryOf(config, server, globals);
  return withManager(
    { globals, stop, server, config, tells: true },
    async ({ manager, entries, witness }) => {
      const entry = entries.find(({ name }) => name === server);
      if (entry === undefined) return [];
      const context = { env: process.env, workspaceFolder: root, userHome: home() };
      const seen = (): Seen => witness.of(server);
      const reached = reachedAs(entry, globals);
      const network = { proxy, ca, env: process.env };
      return examine({
        entry,
        manager,
        config,
        policy,
        context,
        network,
        timeoutMs,
        seen,
        reached,
        target: globals.target,
        call,
      });
    },
  );
}

/** The same members in the same order, whoever made the rung; what is empty is left out. */
function inOrder({ name, state, said, more = [], fix, ms }: Rung): Rung {
  return { name, state, said, more: more.length > 0 ? more : undefined, fix, ms };
}

const marks: Readonly<Record<Rung['state'], (style: Style) => string>> = {
  ok: ({ green }) => green('ok     '),
  warning: ({ yellow }) => yellow('warning'),
  failed: ({ red }) => red('FAILED '),
  skipped: ({ dim }) => dim('skipped'),
};

function describe({ name, state, said, more = [], fix, ms }: Rung, style: Style): string {
  const time = ms === undefined ? '' : style.dim(` (${ms} ms)`);
  const indent = ' '.repeat(18);
  const lines = [
    `${marks[state](style)}  ${name.padEnd(8)}  ${plainField(said)}${time}`,
    ...more.map((line) => style.dim(`${indent}${plainField(line)}`)),
  ];
  if (fix !== undefined) lines.push(`${indent}${style.bold('→')} ${plainField(fix)}`);
  return lines.join('\n');
}
