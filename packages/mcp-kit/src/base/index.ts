export { canonicalJson } from './canonical-json.ts';
export { createBackoff, type Backoff, type BackoffOptions } from './backoff.ts';
export { crypto, files, net } from './node-modules.ts';
export { createDeferred, type Deferred } from './deferred.ts';
export { describeError, KitError, kitErrorCodes, type KitErrorCode } from './error.ts';
export { silentLogger, stderrLogger, type Logger, type LoggerLevel } from './log.ts';
export { longestTimerMs, startTimer, unref } from './timer.ts';
export { chain, isPromise, type MaybePromise } from './maybe-promise.ts';
