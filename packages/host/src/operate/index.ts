export { createApiKey, readApiKeys, type ApiKeyEntry, type ApiKeys } from './auth/api-keys.ts';
export { jsonLogger, pinoLogger, type PinoLike } from './observe/logs.ts';
export { operateHttp, type OperateOptions, type Operated } from './operate.ts';
export { settingsSchema } from './settings-schema.ts';
export {
  readServerSettings,
  type AuthSettings,
  type IntrospectionSettings,
  type JwtSettings,
  type LimitSettings,
  type ServerSettings,
} from './settings.ts';
