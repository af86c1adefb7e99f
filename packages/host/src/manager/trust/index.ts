export { approve, assess, pinOf, type Assessment, type Known, type TrustSystem } from './assess.ts';
export { readCommandLine, type Subject } from './command-line.ts';
export { showChange, type Change } from './diff.ts';
export { identify, launchOf } from './executable.ts';
export { goneApprovals, type GoneApproval } from './gone.ts';
export type { Receipt, TrustEntry } from './receipt.ts';
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
} from './receipts-file.ts';
export { customChannelRefusal, untrustedRules } from './rules.ts';
export type { Runs } from './runs.ts';
export type { Withheld } from './tools.ts';
export { trustCommand } from './trust-command.ts';
