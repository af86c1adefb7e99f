export { canonicalJson } from './canonical-json.ts';
export {
  createBudget,
  heldKinds,
  idleMs,
  processBudget,
  type Budget,
  type HeldKind,
  type Hold,
  type Holder,
} from './budget.ts';
export { createBackoff, type Backoff, type BackoffOptions } from './backoff.ts';
export { crypto, files, net } from './node-modules.ts';
export { createDeferred, type Deferred } from './deferred.ts';
export { asUnasked, describeError, KitError, kitErrorCodes, type KitErrorCode } from './error.ts';
export {
  absoluteFolders,
  findProgram,
  windowsProgram,
  type ProgramPlaces,
} from './find-program.ts';
export { withoutFolders } from './folders.ts';
export { whileLocked, type LockOptions } from './lock-file.ts';
export { silentLogger, type Logger, type LoggerLevel } from './log.ts';
export { stderrLogger } from './stderr-log.ts';
export { pause } from './pause.ts';
export {
  ownProcess,
  parseProcess,
  processState,
  type ProcessIdentity,
  type ProcessState,
} from './process-identity.ts';
export { readAllStats, readStat, type ProcessStat } from './process-stat.ts';
export { withoutSecrets } from './redact.ts';
export { isSecretName, isSecretPair } from './secret-names.ts';
export { hideSecrets } from './secrets.ts';
export { shellWord } from './shell-word.ts';
export { replaceFile, stateFolder } from './state-file.ts';
export { ShortLivedMap } from './short-lived-map.ts';
export { Stop, type StopSignal } from './stop.ts';
export { longestTimerMs, startTimer, unref } from './timer.ts';
export { withoutUndefined, type Defined } from './without-undefined.ts';
export { chain, isPromise, type MaybePromise } from './maybe-promise.ts';
export { readYaml, type YamlFault, type YamlReading } from './yaml.ts';
