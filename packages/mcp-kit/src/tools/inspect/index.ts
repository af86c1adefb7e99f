// What is needed around tools rather than by a server: to check them, to compare them, to call them, to watch them.
export { fromListed, lintRules, lintTools, type Finding } from '../lint/lint.ts';
export type { LintedTool } from '../lint/rule.ts';
export { lintSkills, skillRules, type LintedSkill, type SkillFinding } from '../lint/skills.ts';
export { diffManifests, type ManifestChange } from '../manifest/manifest-diff.ts';
export { callWithRetries, isSafeToRepeat } from '../retry.ts';
export { openTelemetrySink, parseTraces, traceFile } from '../trace/trace-sinks.ts';
export { findTrace, pickTrace } from '../trace/traces.ts';
export { renderTrace } from '../trace/waterfall.ts';
