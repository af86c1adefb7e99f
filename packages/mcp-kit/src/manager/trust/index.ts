export { approve, assess, pinOf, type Assessment, type Known, type TrustSystem } from './assess.ts';
export { digestOf } from './canonical.ts';
export { showChange, type Change } from './diff.ts';
export { readCommandLine, type CommandLine, type Subject } from './command-line.ts';
export {
  identify,
  launchOf,
  type Executable,
  type FileIdentity,
  type Launch,
} from './executable.ts';
export { goneApprovals, type GoneApproval } from './gone.ts';
export type { Pin, PinnedTool, Receipt, TrustEntry } from './receipt.ts';
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
  type Pins,
  type Receipts,
} from './receipts-file.ts';
export type { Runs } from './runs.ts';
export { customChannelRefusal, untrustedRules } from './rules.ts';
export {
  assessTools,
  pinTools,
  type AssessedTools,
  type ToolDefinition,
  type Withheld,
} from './tools.ts';
export { trustCommand } from './trust-command.ts';
