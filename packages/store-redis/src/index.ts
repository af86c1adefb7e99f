export { openRedisStore, type RedisStore, type RedisStoreOptions } from './redis-store.ts';
