import { lintConfig, loadConfig, type ConfigFinding } from '@mcp-kit/host';
import { defineCommand } from '../../command.ts';
import { checkPlace, loadOptions } from '../../config.ts';
import { exitCodes } from '../../exit-code.ts';
import { count, print, printJson, sumUp } from '../../output.ts';
import { plainField } from '../../terminal/plain-text.ts';
import { createStyle, type Style } from '../../terminal/style.ts';

export const configLint = defineCommand({
  scope: 'config',
  options: {
    strict: { type: 'boolean', help: 'Warnings fail, too.' },
  },
  examples: [
    { command: 'mcpctl config lint', about: 'What is wrong, risky or likely not meant.' },
    { command: 'mcpctl config lint --config mcp.json --strict', about: 'For a pipeline.' },
  ],
  notes: ['Exit code 1 when there are errors.'],
  async run({ values, globals }) {
    const startedMs = performance.now();
    await checkPlace(globals);
    const config = await loadConfig(loadOptions(globals));
    const findings = lintConfig(config);
    const errors = findings.filter(({ severity }) => severity === 'error').length;
    const warnings = findings.length - errors;
    if (globals.json) {
      printJson({ errors, warnings, findings, files: config.sources.map(({ file }) => file) });
    } else {
      const style = createStyle(globals);
      if (findings.length > 0)
        print(findings.map((finding) => describe(finding, style)).join('\n'));
      const files = count(config.sources.length, 'file');
      const sum = `${count(errors, 'error')}, ${count(warnings, 'warning')} in ${files}`;
      sumUp(globals, sum, startedMs);
    }
    const fails = errors > 0 || (values.strict === true && warnings > 0);
    return fails ? exitCodes.failed : exitCodes.ok;
  },
});

function describe(finding: ConfigFinding, { bold, dim, red, yellow }: Style): string {
  const { file, pointer, severity, rule, message, fix } = finding;
  const word = severity === 'error' ? red('error') : yellow('warning');
  const place = bold(plainField(`${file}#${pointer}`));
  const hint = fix === undefined ? '' : `\n  ${plainField(fix)}`;
  return `${place}\n  ${word}: ${plainField(message)} ${dim(`(${rule})`)}${hint}`;
}
