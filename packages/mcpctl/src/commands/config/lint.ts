import { lintConfig, loadConfig } from '@mcp-kit/host';
import type { ConfigFinding } from '@mcp-kit/host/internal';
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
    advice: {
      type: 'boolean',
      help: 'Show advice as well: what nearly every file could do better.',
    },
  },
  examples: [
    { command: 'mcpctl config lint', about: 'What is wrong, risky or likely not meant.' },
    { command: 'mcpctl config lint --config mcp.json --strict', about: 'For a pipeline.' },
  ],
  notes: ['Exit code 1 when there are errors.'],
  async run({ values, globals }) {
    const startedMs = performance.now();
    checkPlace(globals);
    const config = await loadConfig(loadOptions(globals));
    const all = lintConfig(config);
    const of = (wanted: ConfigFinding['severity']): number =>
      all.filter(({ severity }) => severity === wanted).length;
    const [errors, warnings, advice] = [of('error'), of('warning'), of('advice')];
    const findings = values.advice ? all : all.filter(({ severity }) => severity !== 'advice');
    if (globals.json) {
      const files = config.sources.map(({ file }) => file);
      printJson({ errors, warnings, advice, findings, files });
    } else {
      const style = createStyle(globals);
      if (findings.length > 0)
        print(findings.map((finding) => describe(finding, style)).join('\n'));
      const files = count(config.sources.length, 'file');
      const more =
        advice > 0 && !values.advice ? `; of advice ${advice}, which --advice shows` : '';
      const sum = `${count(errors, 'error')}, ${count(warnings, 'warning')} in ${files}${more}`;
      sumUp(globals, sum, startedMs);
    }
    const fails = errors > 0 || (values.strict === true && warnings > 0);
    return fails ? exitCodes.failed : exitCodes.ok;
  },
});

function describe(finding: ConfigFinding, { bold, dim, red, yellow }: Style): string {
  const { file, pointer, severity, rule, message, fix } = finding;
  const word = { error: red, warning: yellow, advice: dim }[severity](severity);
  const place = bold(plainField(`${file}#${pointer}`));
  const hint = fix === undefined ? '' : `\n  ${plainField(fix)}`;
  return `${place}\n  ${word}: ${plainField(message)} ${dim(`(${rule})`)}${hint}`;
}
