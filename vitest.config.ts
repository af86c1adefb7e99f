import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests run from the sources.
const conditions = ['@mcp-kit/source', 'node'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    environment: 'node',
    // Tests that start processes run what is built.
    globalSetup: ['scripts/build-first.mjs'],
    setupFiles: ['test/support/property-seed.ts'],
    env: {
      // How many inputs each property test tries: more where nobody waits.
      PROPERTY_RUNS: process.env['PROPERTY_RUNS'] ?? (process.env['CI'] ? '20000' : '1000'),
      // Tests speak to this machine only, and each Node would read the certificates of others when it starts.
      NODE_EXTRA_CA_CERTS: '',
    },
    // A process for each file: what one opens, starts and spends is its own.
    pool: 'forks',
    // Most tests wait for processes and sockets, not for a core.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // Times after which something hangs, on any machine. No test passes or fails by how fast it is.
    testTimeout: process.env['CI'] ? 600_000 : 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 20 } },
    teardownTimeout: 5_000,
    dangerouslyIgnoreUnhandledErrors: false,
    allowOnly: process.env['CI'] === undefined,
    reporters: ['default', './scripts/count-reporter.mjs'],
  },
});
