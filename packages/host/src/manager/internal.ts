// What mcpctl and tests need of the inside. It is not published, and promises nothing.
export { trustSystem } from './connect/admission.ts';
export { routeOf, type Network } from './connect/network.ts';
export { hosts, type Host } from './config/dialects/hosts.ts';
export { dialectOf, dialectTitle } from './config/dialects/index.ts';
export { writeEntries, type Conversion } from './config/convert.ts';
export { decodeDocument, decodeServer } from './config/decode.ts';
export { detectDialects } from './config/detect.ts';
export { formatOfFile, parseDocument } from './config/format/document.ts';
export { reviseText } from './config/format/edit-text.ts';
export { lineOf } from './config/format/line-of.ts';
export { readEnvFile } from './config/env-file.ts';
export type { HttpSettings, StdioSettings, UnixSettings } from './config/entry.ts';
export { targetOf, type Explanation } from './config/explain.ts';
export type { ConfigFinding } from './config/lint.ts';
export {
  interpolate,
  variablesOf,
  type InterpolationContext,
  type VariableUse,
} from './config/interpolate.ts';
export { candidateFiles } from './config/load.ts';
export { isInside, readConfigFile } from './config/read-file.ts';
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
export {
  applyConnection,
  connectable,
  hostFile,
  isInstalled,
  planConnection,
  type ConnectionPlan,
  type HostFile,
  type Level,
} from './setup/connect.ts';
export { readConnections, type Connection } from './setup/connections.ts';
export {
  applyDisconnection,
  planDisconnection,
  type DisconnectionPlan,
} from './setup/disconnect.ts';
export { changeServerFile, readServerFile, type ServerFile } from './setup/server-file.ts';
export { withoutMembers } from './setup/without-members.ts';
