// What tests expect to be thrown.
export { KitError } from '#base';
export { RpcError } from '#jsonrpc';
export {
  connectInMemory,
  type InMemoryClient,
  type InMemoryClientOptions,
} from './in-memory-client.ts';
export { storeContract } from './store-contract.ts';
export { memoryTarget } from './memory-target.ts';
export { toolContract, type ToolWorld } from './tool-contract.ts';
