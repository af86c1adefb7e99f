export {
  chain,
  createDeferred,
  isPromise,
  Stop,
  type Deferred,
  type MaybePromise,
  type StopSignal,
} from './async.ts';
export { canonicalJson } from './canonical-json.ts';
export {
  countedFrom,
  createBudget,
  heldKinds,
  idleMs,
  processBudget,
  Unread,
  type Budget,
  type HeldKind,
  type Hold,
  type Holder,
} from './budget.ts';
export { crypto, files, net } from './node-modules.ts';
export {
  asUnasked,
  describeError,
  isTold,
  KitError,
  kitErrorCodes,
  type KitErrorCode,
} from './error.ts';
export {
  absoluteFolders,
  findProgram,
  windowsProgram,
  type ProgramPlaces,
} from './processes/find-program.ts';
export { whileChanging } from './files/change-file.ts';
export { withoutFolders } from './files/folders.ts';
export { whileLocked, type LockOptions } from './files/lock-file.ts';
export { silentLogger, type Logger, type LoggerLevel } from './log.ts';
export { stderrLogger } from './stderr-log.ts';
export { abortedBy } from './aborted.ts';
export {
  ownProcess,
  parseProcess,
  processState,
  type ProcessIdentity,
  type ProcessState,
} from './processes/process-identity.ts';
export { readAllStats, readStat, type ProcessStat } from './processes/process-stat.ts';
export { withoutSecrets } from './secrets/redact.ts';
export { keysFrom, type Keys } from './secrets/keys.ts';
export {
  keysIn,
  marksOf,
  newRing,
  parseRing,
  ringText,
  rotateRing,
  shownRing,
  type KeyPurpose,
  type Ring,
  type RingMarks,
  type ShownKey,
} from './secrets/ring.ts';
export { isSecretName, isSecretPair } from './secrets/secret-names.ts';
export { gistOf } from './gist.ts';
export { globOf } from './glob.ts';
export { hideSecrets } from './secrets/secrets.ts';
export { shellWord } from './processes/shell-word.ts';
export { replaceFile, stateFolder, whileWriting } from './files/state-file.ts';
export { ShortLivedMap } from './short-lived-map.ts';
export {
  createBackoff,
  longestTimerMs,
  pause,
  requireTime,
  startTimer,
  unref,
  type Backoff,
  type BackoffOptions,
} from './timers.ts';
export { withoutUndefined, type Defined } from './without-undefined.ts';
export { readYaml, type YamlFault, type YamlReading } from './files/yaml.ts';
export { parseRate, RateLimiter, ratePattern, type Rate } from './rate.ts';
export { createWatchers, type Watchers } from './watchers.ts';
