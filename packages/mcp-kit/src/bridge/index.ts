export { createBridge, type Bridge } from './bridge.ts';
export type { BridgeHealth } from './health.ts';
export type { Crossing } from './relay.ts';
export type { BridgeOptions } from './upstream.ts';
