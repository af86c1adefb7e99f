export { createMemoryStore, type MemoryStore } from './memory.ts';
export { openKeyRing } from './key-ring.ts';
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
