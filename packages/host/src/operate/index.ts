export { createApiKey, readApiKeys, type ApiKeyEntry } from './auth/api-keys.ts';
export type { Metric } from './observe/exposition.ts';
export { jsonLogger, pinoLogger, type PinoLike } from './observe/logs.ts';
export { countServers, type ServerCalls, type ServerCounts } from './observe/servers.ts';
export { operateHttp, type OperateOptions, type Operated } from './operate.ts';
export { readServerSettings, type ServerSettings } from './settings.ts';
