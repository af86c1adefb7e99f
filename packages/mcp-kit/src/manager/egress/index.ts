export { createEgress, type Egress, type EgressOptions } from './egress.ts';
export type { Resolve } from './lookup.ts';
export { defaultPolicy, type EgressPolicy } from './policy.ts';
