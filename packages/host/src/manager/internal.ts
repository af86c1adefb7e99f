// What mcpctl and tests need of the inside. It is not published, and promises nothing.
export { dialectTitle } from './config/dialects/index.ts';
export { readEnvFile } from './config/env-file.ts';
export type { HttpSettings, StdioSettings, UnixSettings } from './config/entry.ts';
export { targetOf } from './config/explain.ts';
export {
  interpolate,
  variablesOf,
  type InterpolationContext,
  type VariableUse,
} from './config/interpolate.ts';
export { candidateFiles } from './config/load.ts';
export { isInside } from './config/read-file.ts';
export { createToolCache, toolCachePath } from './tools/cache.ts';
export { approve, assess, pinOf, type Known, type TrustSystem } from './trust/assess.ts';
export { readCommandLine, type Subject } from './trust/command-line.ts';
export { identify, launchOf } from './trust/executable.ts';
export { goneApprovals, type GoneApproval } from './trust/gone.ts';
export type { TrustEntry } from './trust/receipt.ts';
export {
  lockPath,
  readLock,
  readReceipts,
  receiptFor,
  receiptsPath,
  updateLock,
  updateReceipts,
  withoutReceipt,
  withReceipt,
} from './trust/receipts-file.ts';
export { customChannelRefusal, untrustedRules } from './trust/rules.ts';
export type { Runs } from './trust/runs.ts';
export { trustCommand } from './trust/trust-command.ts';
