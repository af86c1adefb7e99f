import { lintRules, lintTools, type Finding } from 'mcp-kit/tools/inspect';
import { nearest, usageError, type Options, type OptionValues } from '../../args.ts';
import { readMaxWarnings } from '../../arguments/number.ts';
import { defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import {
  readManifest,
  type ManifestDocument,
  type ManifestSource,
} from '../../governed/read-manifest.ts';
import { sarifOf } from '../../governed/sarif.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { plainField } from '../../terminal/plain-text.ts';
import { createStyle, type Style } from '../../terminal/style.ts';
import { table } from '../../terminal/table.ts';

const options = {
  manifest: { type: 'string', value: 'FILE', help: 'Look at this file; - is standard input.' },
  disable: {
    type: 'string',
    value: 'RULE',
    multiple: true,
    offers: async () => Object.keys(lintRules),
    help: 'Leave a rule out; may be given several times.',
  },
  'max-warnings': { type: 'string', value: 'N', help: 'More warnings than these fail, too.' },
  style: {
    type: 'boolean',
    help: 'Hold tools of others to the style of this house as well, not only to the protocol.',
  },
  rules: { type: 'boolean', help: 'List the rules, and look at nothing.' },
  sarif: { type: 'boolean', help: 'Print a SARIF document, for those who collect findings.' },
} as const satisfies Options;

type Values = OptionValues<typeof options>;

export const lint = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server whose tools are looked at.', optional: true }],
  options,
  examples: [
    { command: 'mcpctl lint notes', about: 'The tools of a server.' },
    {
      command: 'mcpctl lint --style --max-warnings 0 -- node server.mjs',
      about: 'For a pipeline.',
    },
    {
      command: 'mcpctl lint --manifest tools.json --style --disable name-format',
      about: 'Of a file.',
    },
    { command: 'mcpctl lint --rules', about: 'What is looked for.' },
  ],
  notes: [
    'Rules of style are only counted for tools that are not governed, unless --style is given.',
    'Exit code 1 when there are errors, or more warnings than allowed. The rules: docs/lint.md',
  ],
  async run({ args, values, globals, stop }) {
    const startedMs = performance.now();
    if (values.rules) {
      showRules(lintRules, globals);
      return exitCodes.ok;
    }
    const ignore = readRules(values.disable ?? [], Object.keys(lintRules));
    const maxWarnings = readMaxWarnings(values['max-warnings']);
    const way = wayOf(args.SERVER, values, globals);
    const looked = await readManifest(way, { globals, stop, readsApps: true });
    const all = lintTools(looked.tools, { ignore });
    const findings = values.style ? all : all.filter((finding) => isFault(finding, looked));
    const errors = findings.filter(({ level }) => level === 'error').length;
    const warnings = findings.length - errors;
    if (values.sarif) {
      const file = 'file' in way ? way.file : undefined;
      printJson(sarifOf(findings, { rules: lintRules, file }));
    } else {
      show(findings, looked, globals);
    }
    const found = `${count(errors, 'error')}, ${count(warnings, 'warning')}`;
    const unshown = all.length - findings.length;
    const style = unshown > 0 ? `; of style ${unshown}, which --style shows` : '';
    sumUp(globals, `${found} in ${count(looked.tools.length, 'tool')}${style}`, startedMs);
    return errors > 0 || warnings > maxWarnings ? exitCodes.failed : exitCodes.ok;
  },
});

/** Whether a finding counts for whoever has not chosen the style of this house: governed tools have. */
function isFault({ rule, tool }: Finding, { tools }: ManifestDocument): boolean {
  if (lintRules[rule].protocol) return true;
  return tools.some(({ name, layer }) => name === tool && layer !== undefined);
}

/** What is to be looked at; it must be one thing. */
function wayOf(server: string | undefined, values: Values, { json }: Globals): ManifestSource {
  const { manifest: file, sarif } = values;
  if (json && sarif) throw usageError('--json and --sarif exclude each other', 'Leave out one.');
  if (file !== undefined && server !== undefined) {
    throw usageError(
      `--manifest and ${server} exclude each other`,
      'Look at a file or at a server, one at a time.',
    );
  }
  if (file !== undefined) return { file };
  if (server !== undefined) return { server };
  throw usageError(
    'nothing to look at',
    'Name a server, or a file: mcpctl lint SERVER, mcpctl lint --manifest FILE, mcpctl lint -- PROGRAM',
  );
}

function readRules(given: readonly string[], known: readonly string[]): readonly Finding['rule'][] {
  const strange = given.find((rule) => !known.includes(rule));
  // All of them are rules when none is strange.
  if (strange === undefined) return given as readonly Finding['rule'][];
  const near = nearest(strange, known);
  const meant = near === undefined ? '' : `Did you mean ${near}? `;
  throw usageError(`there is no rule "${strange}"`, `${meant}See: mcpctl lint --rules`);
}

type Rules = Readonly<
  Record<
    string,
    { readonly level: string; readonly demand: string; readonly protocol?: true | undefined }
  >
>;

function showRules(rules: Rules, globals: Globals): void {
  const list = Object.entries(rules).map(([rule, about]) => ({ rule, ...about }));
  if (globals.json) {
    printJson({
      rules: list.map(({ rule, ...about }) => ({
        rule,
        kind: kindOf(about),
        level: about.level,
        demand: about.demand,
      })),
    });
    return;
  }
  const { bold } = createStyle(globals);
  const rows = list.map(({ rule, demand, ...about }) => [
    rule,
    kindOf(about),
    about.level,
    demand.replaceAll('`', ''),
  ]);
  print(table(rows, { head: ['RULE', 'KIND', 'LEVEL', 'DEMAND'], paint: { cells: [bold] } }));
}

function kindOf({ protocol }: { readonly protocol?: true | undefined }): 'protocol' | 'style' {
  return protocol ? 'protocol' : 'style';
}

function show(findings: readonly Finding[], looked: ManifestDocument, globals: Globals): void {
  const { source, tools } = looked;
  if (globals.json) {
    const errors = findings.filter(({ level }) => level === 'error').length;
    const warnings = findings.length - errors;
    printJson({ source, tools: tools.length, errors, warnings, findings });
    return;
  }
  const style = createStyle(globals);
  for (const tool of new Set(tools.map(({ name }) => name))) {
    const own = findings.filter((finding) => finding.tool === tool);
    if (own.length === 0) continue;
    print(style.bold(plainField(tool)));
    print(own.map((finding) => describe(finding, style)).join('\n'));
  }
}

function describe(finding: Finding, { dim, red, yellow }: Style): string {
  const { rule, level, message, hint, path } = finding;
  const word = level === 'error' ? red('error') : yellow('warning');
  // A message names the argument, but not where it is within others.
  const place = path !== undefined && /[.[]/.test(path) ? ` at ${plainField(path)}` : '';
  const fix = hint === undefined ? '' : `\n    ${plainField(hint)}`;
  return `  ${word}: ${plainField(message)}${place} ${dim(`(${rule})`)}${fix}`;
}
