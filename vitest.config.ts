import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

// Tests run from the sources.
const conditions = ['@mcp-kit/source', 'node'];

/** A process for each file: what one opens, starts, keeps and spends is its own. */
const apart = [
  'test/faults/**/*.test.ts',
  'test/cocos/**/{performance,speed}.test.ts',
  '**/jsonrpc/left-behind.test.ts',
];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    environment: 'node',
    // Tests that start processes run what is built.
    globalSetup: ['scripts/build-first.mjs'],
    setupFiles: ['test/support/property-seed.ts'],
    env: {
      // How many inputs each property test tries: more where nobody waits.
      PROPERTY_RUNS: process.env['PROPERTY_RUNS'] ?? (process.env['CI'] ? '20000' : '200'),
      // Tests speak to this machine only, and each Node would read the certificates of others when it starts.
      NODE_EXTRA_CA_CERTS: '',
    },
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
    reporters: ['default', './scripts/tests/count-reporter.mjs'],
    projects: [
      {
        extends: true,
        test: { name: 'apart', include: apart, sequence: { groupOrder: 0 } },
      },
      {
        extends: true,
        test: {
          name: 'together',
          include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: apart,
          // What all of them import is loaded once for each worker, not once for each file.
          isolate: false,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
