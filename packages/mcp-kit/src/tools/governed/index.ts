export { batchSchema, runBatch } from '../batch.ts';
export { applied } from '../changes.ts';
export { createTraces, type Traces } from '../trace/traces.ts';
export type { CallScope } from './call-scope.ts';
export { governed, type GovernanceOptions } from './governed-contract.ts';
export { layerOrder, type Layer } from './layer.ts';
