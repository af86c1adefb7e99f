// What the other packages of this repository need of the inside. It promises nothing: they are released together, and each
// names the exact version of the others.
export * from '#base';
export * from '#jsonrpc';
export * from '#protocol';
export * from '#schema';
export { buryNode } from './transport/http/sessions/lease.ts';
export type { KeyRing } from './store/key-ring.ts';
