import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** Tests that do what they do as often as `test/support/scale.ts` says. */
const scaled = [
  'test/bridge/{memory,processes,streams}.test.ts',
  'test/cocos/performance.test.ts',
  'test/faults/{client-reopening,cross-talk,gateway,manager-reload,resets,restarts,tasks}.test.ts',
];

// The long fault and attack runs: one file at a time, so that what they measure is theirs.
export default mergeConfig(
  { ...base, test: { ...base.test, projects: undefined } },
  defineConfig({
    test: {
      // What `npm test` does a part of is done in full.
      include: ['test/chaos/**/*.chaos.ts', ...scaled],
      env: { FAULT_SHARE: process.env['FAULT_SHARE'] ?? '1' },
      maxWorkers: 1,
      testTimeout: 600_000,
      hookTimeout: 60_000,
    },
  }),
);
