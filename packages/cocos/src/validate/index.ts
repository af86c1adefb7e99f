export {
  type Finding,
  type FindingCode,
  type FindingRule,
  findingRules,
  type Report,
  type Severity,
} from './finding.ts';
export type { Memory } from './inspection.ts';
export { type Repair, repairDocument } from './repair.ts';
export { reportSarif } from './report-sarif.ts';
export { reportJson, reportText } from './report-text.ts';
export {
  inspectTable,
  validateDocument,
  type ValidateOptions,
  validateProject,
} from './validate.ts';
