export { createBridge, type Bridge } from './bridge.ts';
export type { Crossing } from './crossing.ts';
export type { BridgeHealth } from './health.ts';
export type { BridgeOptions } from './options.ts';
