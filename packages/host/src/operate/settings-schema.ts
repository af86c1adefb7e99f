import type { JsonSchema } from 'mcp-kit/internal';
import { ratePattern } from 'mcp-kit/internal';

/** Signatures whose checking needs no secret: the only ones that a server of others' tokens may accept. */
export const publicAlgorithms =
  'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(
    ' ',
  ) as readonly string[];

const text = { type: 'string', minLength: 1, maxLength: 2048 } as const;
const texts = { type: 'array', items: text, maxItems: 1000 } as const;
const oneOrMore = { anyOf: [text, { ...texts, minItems: 1 }] } as const;
const url = { type: 'string', pattern: '^https?://[^\\s]+$', maxLength: 2048 } as const;
const port = { type: 'integer', minimum: 0, maximum: 65_535 } as const;
const ms = { type: 'integer', minimum: 0, maximum: 3_600_000 } as const;
/** A second to a week. */
const span = { type: 'integer', minimum: 1000, maximum: 604_800_000 } as const;
const count = { type: 'integer', minimum: 1, maximum: 1_000_000 } as const;
const rate = { type: 'string', pattern: ratePattern } as const;
const scope = {
  type: 'string',
  pattern: '^[\\x21\\x23-\\x5B\\x5D-\\x7E]+$',
  maxLength: 256,
} as const;
const scopes = { type: 'array', items: scope, maxItems: 100 } as const;

const object = (properties: Readonly<Record<string, JsonSchema>>, required: string[] = []) =>
  ({ type: 'object', properties, required, additionalProperties: false }) as const;
const byName = (value: JsonSchema): JsonSchema => ({ type: 'object', additionalProperties: value });

const algorithms = { type: 'array', minItems: 1, items: { enum: publicAlgorithms } } as const;

const auth = object({
  jwt: object(
    {
      issuer: url,
      audience: oneOrMore,
      jwksUri: url,
      algorithms,
      types: { ...texts, minItems: 1 },
      clockToleranceSeconds: { type: 'integer', minimum: 0, maximum: 300 },
    },
    ['issuer'],
  ),
  introspection: object(
    {
      issuer: url,
      audience: oneOrMore,
      url,
      clientId: text,
      clientSecretEnv: text,
      cacheSeconds: { type: 'integer', minimum: 0, maximum: 3600 },
    },
    ['issuer', 'clientId'],
  ),
  apiKeys: text,
  scopes,
  toolScopes: byName(scopes),
  impliedScopes: byName(scopes),
});

const limits = object({
  address: rate,
  principal: rate,
  session: rate,
  tool: rate,
  tools: byName(rate),
  calls: count,
  callsPerPrincipal: count,
  memoryMiB: count,
});

/** The `server` section of a configuration, as JSON Schema. */
export const settingsSchema: JsonSchema = object({
  host: text,
  port,
  path: { type: 'string', pattern: '^/[^\\s?#]*$' },
  publicUrl: url,
  insecure: { type: 'boolean' },
  allowedHosts: texts,
  allowedOrigins: texts,
  trustedProxies: texts,
  tls: object({ cert: text, key: text }, ['cert', 'key']),
  auth,
  limits,
  sessions: object({ ttlMs: span, sweepMs: span }),
  store: text,
  keys: text,
  generation: { type: 'integer', minimum: 0, maximum: 1_000_000_000 },
  metrics: object({ port }, ['port']),
  logs: object({
    format: { enum: ['text', 'json'] },
    level: { enum: ['debug', 'info', 'warn', 'error', 'silent'] },
  }),
  drain: object({ delayMs: ms, timeoutMs: ms }),
});
