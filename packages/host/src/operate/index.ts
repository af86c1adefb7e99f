export { createApiKey, readApiKeys } from './auth/api-keys.ts';
export type { Metric } from './observe/exposition.ts';
export { jsonLogger, pinoLogger } from './observe/logs.ts';
export { countServers } from './observe/servers.ts';
export { operateHttp, type OperateOptions, type Operated } from './operate.ts';
export { readServerSettings, type ServerSettings } from './settings.ts';
