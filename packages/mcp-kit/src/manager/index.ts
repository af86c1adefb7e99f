export type { Approval } from './approval.ts';
export type { Reloaded } from './compare.ts';
export { convertConfig, type Conversion } from './config/convert.ts';
export type { Candidate, Surroundings } from './config/dialect.ts';
export { dialectIds, dialectTitle } from './config/dialects/index.ts';
export type { ClientSettings } from './config/dialects/mcp-kit.ts';
export type {
  ConfigScope,
  DialectId,
  HttpFlavour,
  HttpSettings,
  InputDefinition,
  OAuthSettings,
  Provenance,
  ServerEntry,
  StdioSettings,
  StdoutLogSettings,
  TextRecord,
  TransportSettings,
  UnixSettings,
} from './config/entry.ts';
export { readEnvFile } from './config/env-file.ts';
export { explainConfig, targetOf, type Explanation } from './config/explain.ts';
export {
  interpolate,
  variablesOf,
  type Interpolated,
  type InterpolationContext,
  type VariableUse,
} from './config/interpolate.ts';
export { lintConfig, type ConfigFinding } from './config/lint.ts';
export {
  candidateFiles,
  loadConfig,
  plainName,
  type ConfigSource,
  type LoadedConfig,
  type LoadOptions,
} from './config/load.ts';
export type { ConfigWarning } from './config/place.ts';
export { isInside } from './config/read-file.ts';
export type { Loss } from './config/restate.ts';
export {
  createEgress,
  defaultPolicy,
  type Egress,
  type EgressOptions,
  type EgressPolicy,
  type Resolve,
} from './egress/index.ts';
export {
  approve,
  assess,
  assessTools,
  customChannelRefusal,
  digestOf,
  goneApprovals,
  identify,
  launchOf,
  lockPath,
  pinOf,
  pinTools,
  readCommandLine,
  readLock,
  readReceipts,
  receiptFor,
  receiptsPath,
  showChange,
  trustCommand,
  untrustedRules,
  updateLock,
  updateReceipts,
  withoutReceipt,
  withReceipt,
  type AssessedTools,
  type Assessment,
  type Change,
  type CommandLine,
  type Executable,
  type FileIdentity,
  type GoneApproval,
  type Known,
  type Launch,
  type Pin,
  type PinnedTool,
  type Pins,
  type Receipt,
  type Receipts,
  type Runs,
  type Subject,
  type ToolDefinition,
  type TrustEntry,
  type TrustSystem,
  type Withheld,
} from './trust/index.ts';
export { adHocEntry, type AdHoc } from './connect/ad-hoc.ts';
export type { GivenStreams } from './connect/given.ts';
export type { VersionMismatch } from './connect/open.ts';
export type { Passage } from './connect/way-for.ts';
export type { InitializeResult } from './initialize-result.ts';
export { createManager, Manager } from './manager.ts';
export type { LoginOptions, ManagedConfig, ManagerOptions } from './options.ts';
export { ServerHandle } from './server-handle.ts';
export type { ServerState, ServerStatus } from './supervise/state.ts';
export { createVerdictFile, verdictsPath, type VerdictFileOptions } from './verdict-file.ts';
export { createToolCache, toolCachePath, type ToolCache } from './tools/cache.ts';
export type { Catalog, ServerTool } from './tools/catalog.ts';
export type { ToolListing } from './tools/judge.ts';
export type { Login, Rung as LoginRung } from '#auth';
export { watchConfig, type ConfigListener } from './watch-config.ts';
