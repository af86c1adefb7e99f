export {
  connectInMemory,
  type InMemoryClient,
  type InMemoryClientOptions,
} from './in-memory-client.ts';
export { storeContract, type StoreCase, type StoreContractOptions } from './store-contract.ts';
export { memoryTarget } from './memory-target.ts';
export { toolContract, type ToolCase, type ToolWorld } from './tool-contract.ts';
