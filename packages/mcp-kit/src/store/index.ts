export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './memory.ts';
export type {
  Bus,
  BusListener,
  Kv,
  Log,
  LogEntry,
  LogRead,
  Store,
  Synchronous,
  WriteOptions,
} from './store.ts';
