export { createBackoff, type Backoff, type BackoffOptions } from './backoff.ts';
export { crypto, files, net } from './node-modules.ts';
export { createDeferred, type Deferred } from './deferred.ts';
export { describeError, KitError, kitErrorCodes, type KitErrorCode } from './error.ts';
export { silentLogger, stderrLogger, type Logger, type LoggerLevel } from './log.ts';
export { shellWord } from './shell-word.ts';
export { replaceFile, stateFolder } from './state-file.ts';
export { longestTimerMs, startTimer, unref } from './timer.ts';
export { isPromise, type MaybePromise } from './maybe-promise.ts';
