export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './memory.ts';
export { secretIn } from './secret.ts';
export type {
  Kv,
  Log,
  LogEntry,
  LogRead,
  Store,
  Synchronous,
  Values,
  WriteOptions,
} from './store.ts';
