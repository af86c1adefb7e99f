import type * as NodeCrypto from 'node:crypto';
import type * as NodeFiles from 'node:fs/promises';
import type * as NodeNet from 'node:net';

// Modules of Node that cost a start-up more than most of ours, loaded when first needed.

let loadedCrypto: typeof NodeCrypto | undefined;

/** `node:crypto`. */
export function crypto(): typeof NodeCrypto {
  loadedCrypto ??= process.getBuiltinModule('node:crypto');
  return loadedCrypto;
}

/** `node:net`. */
export function net(): typeof NodeNet {
  return process.getBuiltinModule('node:net');
}

/** `node:fs/promises`. */
export function files(): typeof NodeFiles {
  return process.getBuiltinModule('node:fs/promises');
}
