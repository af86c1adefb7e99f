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
    // How many inputs each property test tries: many where nobody waits.
    env: { PROPERTY_RUNS: process.env['PROPERTY_RUNS'] ?? (process.env['CI'] ? '100000' : '5000') },
    pool: 'threads',
    // Most tests wait for processes and sockets, not for a core.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Where many inputs are tried, they take longer.
    testTimeout: process.env['CI'] ? 60_000 : 15_000,
    hookTimeout: 15_000,
    teardownTimeout: 5_000,
    dangerouslyIgnoreUnhandledErrors: false,
    allowOnly: process.env['CI'] === undefined,
    reporters: ['default', './scripts/count-reporter.mjs'],
  },
});
