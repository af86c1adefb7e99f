import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { test } from 'vitest';
import { isRecord, RpcError, rpcErrors } from '#jsonrpc';
import { claimsModern, metaKeys, readEnvelope, requireModernVersion } from './envelope.ts';
import { modernVersion } from './model/revisions.ts';
import { isLoggingLevel } from './model/types.ts';

const numRuns = Number(process.env['PROPERTY_RUNS']);

const anyValue = fc.oneof(
  fc.constantFrom<unknown>(null, 0, '', 'info', 'warning', modernVersion, [], {}, true),
  fc.jsonValue({ maxDepth: 2 }),
);
const meta = fc.oneof(
  { weight: 1, arbitrary: anyValue },
  {
    weight: 6,
    arbitrary: fc.record(
      {
        [metaKeys.protocolVersion]: fc.oneof(fc.constant(modernVersion), fc.string(), anyValue),
        [metaKeys.clientCapabilities]: fc.oneof(
          fc.constant({}),
          fc.object({ maxDepth: 1 }),
          anyValue,
        ),
        [metaKeys.clientInfo]: fc.oneof(fc.constant({ name: 'n', version: '1' }), anyValue),
        [metaKeys.logLevel]: fc.oneof(fc.constantFrom('debug', 'emergency', 'verbose'), anyValue),
        progressToken: anyValue,
      },
      { requiredKeys: [] },
    ),
  },
);
const params = fc.oneof(
  fc.constant(undefined),
  fc.record({ _meta: meta, name: fc.string() }, { requiredKeys: [] }),
);

test('any parameters give an envelope whose every part is well formed, or invalid params', () => {
  fc.assert(
    fc.property(params, (value) => {
      const raw: unknown = value?._meta;
      const sent = isRecord(raw) ? raw : {};
      const version = sent[metaKeys.protocolVersion];
      const capabilities = sent[metaKeys.clientCapabilities];
      const logLevel = sent[metaKeys.logLevel];
      const sound =
        typeof version === 'string' &&
        isRecord(capabilities) &&
        (logLevel === undefined || isLoggingLevel(logLevel));
      assert.equal(claimsModern(value), version !== undefined || capabilities !== undefined);
      try {
        const envelope = readEnvelope(value);
        assert.ok(sound);
        assert.deepEqual(
          [envelope.version, envelope.capabilities, envelope.logLevel],
          [version, capabilities, logLevel],
        );
        const { info } = envelope;
        assert.ok(info === undefined || info === sent[metaKeys.clientInfo]);
      } catch (error) {
        assert.ok(error instanceof RpcError && error.code === rpcErrors.invalidParams && !sound);
      }
    }),
    { numRuns },
  );
});

test('every version but the stateless one is refused by name', () => {
  requireModernVersion(modernVersion);
  fc.assert(
    fc.property(fc.string(), (version) => {
      assert.throws(() => requireModernVersion(version), {
        code: -32022,
        data: { supported: [modernVersion], requested: version },
      });
    }),
    { numRuns },
  );
});
