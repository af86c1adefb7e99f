import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

// The long fault and attack runs: one file at a time, so that what they measure is theirs.
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({
    test: {
      include: ['test/chaos/**/*.chaos.ts'],
      maxWorkers: 1,
      testTimeout: 600_000,
      hookTimeout: 60_000,
    },
  }),
);
