import path from 'node:path';
import { silentLogger } from 'mcp-kit/internal';
import type { ManagerOptions } from '../options.ts';
import { createToolCache, toolCachePath } from '../tools/cache.ts';
import { receiptsPath } from '../trust/receipts-file.ts';
import { loginPlace } from './logins.ts';
import type { Openings } from './open.ts';

/** What the openings of a manager have in common, by its options. */
export function openingsOf(
  options: ManagerOptions,
  versionChecked: Openings['versionChecked'],
): Openings {
  const { env = process.env, logger = silentLogger } = options;
  const { receipts = receiptsPath(env), toolCache = toolCachePath(env) } = options;
  const root = path.resolve(options.root ?? '.');
  return {
    options,
    client: options.client ?? {},
    admission: {
      trust: options.trust ?? 'untrusted',
      policy: options.policy ?? {},
      receipts,
      context: {
        env,
        workspaceFolder: root,
        userHome: options.home,
        inputs: options.inputValues,
        lookUp: options.lookUp,
      },
    },
    place: {
      root,
      allowLogOutsideRoot: options.allowStdoutLogOutsideRoot ?? false,
      logger,
      logins: loginPlace(options, root),
      network: options,
    },
    toolCache: createToolCache(toolCache === false ? undefined : toolCache),
    logger,
    versionChecked,
  };
}
