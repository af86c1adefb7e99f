import type { Finding, Report } from './finding.ts';

/** A report for people: one line for each finding, the next step below it, the sum at the end. */
export function reportText({ files, findings, counts }: Report): string {
  const sum = `${count(files, 'file')}: ${count(counts.error, 'error')}, ${count(counts.warning, 'warning')}, ${counts.info} to know.`;
  return [...findings.flatMap(linesFor), sum, ''].join('\n');
}

function count(number: number, name: string): string {
  return `${number} ${name}${number === 1 ? '' : 's'}`;
}

function linesFor({ file, line, severity, code, node, message, suggestion }: Finding): string[] {
  const where = `${file}${line === undefined ? '' : `:${line}`}`;
  const at = node === undefined ? '' : ` [${node}]`;
  return [`${where} ${severity} ${code}${at} ${message}`, `  ${suggestion}`];
}

/** A report for programs. */
export function reportJson({ files, counts, findings }: Report): Report {
  return { files, counts, findings };
}
