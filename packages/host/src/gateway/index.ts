export type { GatewayCatalog, Item, Refused } from './catalog.ts';
export { gateway, type Gateway, type GatewayOptions } from './gateway.ts';
export type { GatewayStatus, UpstreamStatus } from './status.ts';
