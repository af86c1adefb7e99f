export type { Login, LoginStep } from '#auth';
export type { Approval } from './approval.ts';
export { convertConfig, type Conversion } from './config/convert.ts';
export { dialectIds, dialectTitle } from './config/dialects/index.ts';
export type { ClientSettings } from './config/dialects/mcp-kit.ts';
export type {
  DialectId,
  HttpSettings,
  ServerEntry,
  StdioSettings,
  TransportSettings,
  UnixSettings,
} from './config/entry.ts';
export { explainConfig, targetOf, type Explanation } from './config/explain.ts';
export {
  interpolate,
  variablesOf,
  type InterpolationContext,
  type VariableUse,
} from './config/interpolate.ts';
export { lintConfig, type ConfigFinding } from './config/lint.ts';
export { candidateFiles, loadConfig, type LoadedConfig, type LoadOptions } from './config/load.ts';
export { isInside } from './config/read-file.ts';
export { adHocEntry } from './connect/ad-hoc.ts';
export type { Upstream } from './connect/upstream.ts';
export { createEgress, type Egress } from './egress/egress.ts';
export type { EgressPolicy } from './egress/policy.ts';
export { createEraFile, erasPath } from './era-file.ts';
export { createManager, Manager } from './manager.ts';
export type { LoginOptions, ManagedConfig, ManagerOptions } from './options.ts';
export { ServerHandle } from './server-handle.ts';
export type { ServerState, ServerStatus } from './supervise/state.ts';
export { createToolCache, toolCachePath } from './tools/cache.ts';
export type { Catalog, ServerTool } from './tools/catalog.ts';
export type { ToolListing } from './tools/listing.ts';
export {
  goneApprovals,
  identify,
  launchOf,
  lockPath,
  pinOf,
  readCommandLine,
  readReceipts,
  receiptsPath,
  showChange,
  trustCommand,
  untrustedRules,
  updateLock,
  updateReceipts,
  withoutReceipt,
  type Assessment,
  type Change,
  type GoneApproval,
  type Receipt,
  type Runs,
  type Subject,
  type Withheld,
} from './trust/index.ts';
export { watchConfig } from './watch-config.ts';
