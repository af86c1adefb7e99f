import { explainConfig, loadConfig, type LoadedConfig } from '@mcp-kit/host';
import { dialectTitle, type Explanation } from '@mcp-kit/host/internal';
import { defineCommand } from '../../command.ts';
import { checkPlace, entryOf, loadOptions, noServers, shownTarget } from '../../config.ts';
import { variableStates, type VariableState } from '../../doctor/config.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { count, print, printJson, sumUp, tell } from '../../output.ts';
import { commandLine } from '../../shell-words.ts';
import { plainField } from '../../terminal/plain-text.ts';
import { createStyle, type Style } from '../../terminal/style.ts';
import { aligned } from '../trust/view.ts';

/** Where a server comes from and what it needs. */
type Explained = Omit<Explanation, 'variables'> & {
  readonly variables: readonly VariableState[];
  readonly argv?: readonly string[] | undefined;
};

export const configExplain = defineCommand({
  scope: 'config',
  positionals: [{ name: 'NAME', help: 'the server to explain; all without', optional: true }],
  examples: [
    { command: 'mcpctl config explain', about: 'Which file each server comes from.' },
    { command: 'mcpctl config explain github', about: 'What it shadows, and what it needs.' },
  ],
  notes: ['Values of variables and headers are never shown.'],
  async run({ args: { NAME: name }, globals }) {
    const startedMs = performance.now();
    checkPlace(globals);
    const config = await loadConfig(loadOptions(globals));
    if (config.entries.length === 0) throw noServers(globals, config);
    for (const { message } of config.errors) tell(message);
    if (name !== undefined) entryOf(config, name, globals);
    const servers = explained(config, globals).filter(
      (one) => name === undefined || one.name === name,
    );
    if (globals.json) {
      printJson({ servers, sources: config.sources });
    } else {
      const style = createStyle(globals);
      print(servers.map((server) => describe(server, style)).join('\n\n'));
      sumUp(globals, count(servers.length, 'server'), startedMs);
    }
    return config.errors.length > 0 ? exitCodes.failed : exitCodes.ok;
  },
});

function explained(config: LoadedConfig, globals: Globals): readonly Explained[] {
  return explainConfig(config).map((explanation, at) => {
    const entry = config.entries[at];
    if (entry === undefined) return explanation;
    const { transport } = entry;
    const variables = variableStates(entry, process.env);
    const isShown = globals.showArgv && transport.kind === 'stdio';
    const argv = isShown ? [transport.command, ...transport.args] : undefined;
    return { ...explanation, target: shownTarget(entry, globals), variables, argv };
  });
}

function describe(server: Explained, { bold, dim }: Style): string {
  const { name, file, pointer, dialect, scope, target, argv, shadows, enabled } = server;
  const { envKeys, headerKeys, variables } = server;
  const lines: (readonly [string, string])[] = [
    ['from', `${file}#${pointer} (${dialectTitle(dialect)}, ${scope})`],
    ...shadows.map((other) => ['shadows', `${other.file}#${other.pointer}`] as const),
    ['target', argv === undefined ? target : commandLine(argv)],
  ];
  if (envKeys.length > 0) lines.push(['env', envKeys.join(', ')]);
  if (headerKeys.length > 0) lines.push(['headers', headerKeys.join(', ')]);
  for (const use of variables) lines.push(['variable', variableText(use)]);
  const state = enabled ? '' : dim(' (switched off)');
  return `${bold(plainField(name))}${state}\n${aligned(lines)}`;
}

function variableText({ scheme, name, pointer, isSet, hasDefault }: VariableState): string {
  const what = scheme === 'env' ? name : `${scheme}:${name}`;
  const unset = hasDefault ? 'is not set, so its default counts' : 'is NOT set';
  const state = isSet === undefined ? 'asked for at use' : isSet ? 'is set' : unset;
  return `${what} ${state}, at ${pointer}`;
}
