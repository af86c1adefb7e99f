// What calls throw, where they are made; the entry of everything would load servers and tools as well.
export { KitError, RpcError } from 'mcp-kit/internal';
export { convertConfig } from './config/convert.ts';
export { dialectIds } from './config/dialects/index.ts';
export type { ClientSettings } from './config/dialects/mcp-kit.ts';
export type { DialectId, ServerEntry, TransportSettings } from './config/entry.ts';
export { explainConfig } from './config/explain.ts';
export type { Disclosure } from './config/gateway/disclosure.ts';
export type { ResultSettings } from './config/gateway/results.ts';
export type { GroupSettings, Groups } from './config/gateway/groups.ts';
export type { ServerShownAs, ShownAs, ShownServers } from './config/gateway/servers.ts';
export type { LimitRule } from './config/gateway/limits.ts';
export {
  readRules,
  type PolicyDecision,
  type PolicyPart,
  type PolicyRule,
  type ToolEffect,
} from './config/gateway/policy.ts';
export type { GatewaySettings } from './config/gateway/settings.ts';
export { lintConfig } from './config/lint.ts';
export { loadConfig, type LoadedConfig, type LoadOptions } from './config/load.ts';
export { adHocEntry } from './connect/ad-hoc.ts';
export type { Upstream } from './connect/upstream.ts';
export { createEgress, type Egress } from './egress/egress.ts';
export type { EgressPolicy } from './egress/policy.ts';
export { createEraFile, erasPath } from './era-file.ts';
export { createManager, Manager } from './manager.ts';
export type { LoginOptions, ManagedConfig, ManagerOptions, ManagerWatcher } from './options.ts';
export type { ServerHandle } from './server-handle.ts';
export type { ServerState, ServerStatus } from './supervise/state.ts';
export type { OtherLists } from './tools/cache.ts';
export type { Catalog, ServerTool } from './tools/catalog.ts';
export type { ToolListing } from './tools/listing.ts';
export { modelTools, type ModelApi, type ModelTools } from './tools/model-tools.ts';
export { placeOfName, qualifiedName } from './tools/qualified-name.ts';
export { withheldError } from './tools/tool-policy.ts';
export type { Assessment } from './trust/assess.ts';
export { showChange, type Change } from './trust/diff.ts';
export type { Receipt } from './trust/receipt.ts';
export type { Withheld } from './trust/tools.ts';
export { watchConfig, type Watching } from './watch-config.ts';
