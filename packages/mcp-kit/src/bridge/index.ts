export { createBridge, type Bridge, type BridgeOptions } from './bridge.ts';
export type { Crossing } from './relay.ts';
