import {
  reportJson,
  reportSarif,
  validateProject,
  type Finding,
  type Report,
} from '@mcp-kit/cocos/validate';
import { usageError, type Options } from '../../args.ts';
import { readMaxWarnings } from '../../arguments/number.ts';
import { lookAtProject, placeOf } from '../../cocos/on-project.ts';
import { defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-code.ts';
import { count, print, printJson, tell } from '../../output.ts';
import { plainField } from '../../terminal/plain-text.ts';
import { createStyle, type Style } from '../../terminal/style.ts';
import { version } from '../../version.ts';

const options = {
  'max-warnings': { type: 'string', value: 'N', help: 'More warnings than these fail, too.' },
  json: { type: 'boolean', help: 'Print one JSON document.' },
  sarif: { type: 'boolean', help: 'Print a SARIF document, for those who collect findings.' },
  quiet: { type: 'boolean', help: 'Say nothing of warnings and of what is only worth knowing.' },
} as const satisfies Options;

export const cocosValidate = defineCommand({
  scope: 'own',
  positionals: [
    {
      name: 'PLACE',
      help: 'The folder of a project, or one scene or prefab of it. Default: this folder.',
      optional: true,
      files: true,
    },
  ],
  options,
  examples: [
    { command: 'mcpctl cocos validate my-game', about: 'All scenes, prefabs and metas.' },
    { command: 'mcpctl cocos validate assets/scenes/menu.scene', about: 'One of them.' },
    {
      command: 'mcpctl cocos validate my-game --sarif --max-warnings 0',
      about: 'For a pipeline.',
    },
  ],
  notes: [
    'Exit code 1 when there are errors, or more warnings than allowed. The codes: docs/cocos.md',
  ],
  async run({ args, values, globals }) {
    const { json, sarif, quiet = false } = values;
    if (json && sarif) throw usageError('--json and --sarif exclude each other', 'Leave out one.');
    const maxWarnings = readMaxWarnings(values['max-warnings']);
    const { folder, file } = placeOf(args.PLACE ?? '.');
    const report = await lookAtProject(folder, (workspace) =>
      validateProject(workspace, { paths: file === undefined ? undefined : [file] }),
    );
    if (json) printJson(reportJson(report));
    else if (sarif) printJson(reportSarif(report, { version: version() }));
    else show(report, { style: createStyle(globals), quiet });
    const { error, warning } = report.counts;
    return error > 0 || warning > maxWarnings ? exitCodes.failed : exitCodes.ok;
  },
});

interface ShowOptions {
  readonly style: Style;
  readonly quiet: boolean;
}

function show({ files, findings, counts }: Report, { style, quiet }: ShowOptions): void {
  const shown = quiet ? findings.filter(({ severity }) => severity === 'error') : findings;
  for (const file of new Set(shown.map((finding) => finding.file))) {
    print(style.bold(plainField(file)));
    for (const finding of shown) if (finding.file === file) print(describe(finding, style));
  }
  const { error, warning, info } = counts;
  const found = `${count(error, 'error')}, ${count(warning, 'warning')}, ${info} to know`;
  if (!quiet) tell(`${found} in ${count(files, 'file')}`);
}

function describe(finding: Finding, { dim, red, yellow }: Style): string {
  const { code, severity, line, node, message, suggestion, fixable } = finding;
  const paint = { error: red, warning: yellow, info: dim }[severity];
  const place = [line === undefined ? '' : `:${line}`, node === undefined ? '' : plainField(node)];
  const at = place.filter((part) => part !== '').join(' ');
  const repair = fixable ? ' It can be repaired: execute_scene_repair.' : '';
  const lines = [`  ${paint(severity)}: ${plainField(message)} ${dim(`(${code})`)}`];
  if (at !== '') lines.push(`    ${dim(at)}`);
  lines.push(`    ${plainField(suggestion)}${repair}`);
  return lines.join('\n');
}
