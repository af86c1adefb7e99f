import type * as NodeCrypto from 'node:crypto';

let loaded: typeof NodeCrypto | undefined;

/** `node:crypto`, loaded when first needed: a server that only answers lists should not wait for it to start. */
export function crypto(): typeof NodeCrypto {
  loaded ??= process.getBuiltinModule('node:crypto');
  return loaded;
}
