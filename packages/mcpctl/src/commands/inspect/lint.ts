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
  rules: { type: 'boolean', help: 'List the rules, and look at nothing.' },
  sarif: { type: 'boolean', help: 'Print a SARIF document, for those who collect findings.' },
} as const satisfies Options;

type Values = OptionValues<typeof options>;

export const lint = defineCommand({
  positionals: [{ name: 'SERVER', help: 'The server whose tools are looked at.', optional: true }],
  options,
  examples: [
    { command: 'mcpctl lint notes', about: 'The tools of a server.' },
    { command: 'mcpctl lint --max-warnings 0 -- node server.mjs', about: 'For a pipeline.' },
    { command: 'mcpctl lint --manifest tools.json --disable name-format', about: 'Of a file.' },
    { command: 'mcpctl lint --rules', about: 'What is looked for.' },
  ],
  notes: [
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
    const looked = await readManifest(way, { globals, stop });
    const findings = lintTools(looked.tools, { ignore });
    const errors = findings.filter(({ level }) => level === 'error').length;
    const warnings = findings.length - errors;
    if (values.sarif) {
      const file = 'file' in way ? way.file : undefined;
      printJson(sarifOf(findings, { rules: lintRules, file }));
    } else {
      show(findings, looked, globals);
    }
    const found = `${count(errors, 'error')}, ${count(warnings, 'warning')}`;
    sumUp(globals, `${found} in ${count(looked.tools.length, 'tool')}`, startedMs);
    return errors > 0 || warnings > maxWarnings ? exitCodes.failed : exitCodes.ok;
  },
});

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

type Rules = Readonly<Record<string, { readonly level: string; readonly demand: string }>>;

function showRules(rules: Rules, globals: Globals): void {
  const list = Object.entries(rules).map(([rule, about]) => ({ rule, ...about }));
  if (globals.json) {
    printJson({ rules: list.map(({ rule, level, demand }) => ({ rule, level, demand })) });
    return;
  }
  const { bold } = createStyle(globals);
  const rows = list.map(({ rule, level, demand }) => [rule, level, demand.replaceAll('`', '')]);
  print(table(rows, { head: ['RULE', 'LEVEL', 'DEMAND'], paint: { cells: [bold] } }));
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
