import { createHash, randomUUID } from 'node:crypto';
import { CocosError } from './cocos-error.ts';

/** Makes a new 22-character id. */
export type NewId = () => string;

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const valueOf = new Map(digits.split('').map((digit, value) => [digit, value]));

const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const objectIdForm = /^[0-9a-f]{2}[0-9A-Za-z+/]{20}$/;
const scriptTypeForm = /^[0-9a-f]{5}[0-9A-Za-z+/]{18}$/;

/** Tells whether a text is a uuid without a sub-asset. */
export const isUuid = (text: string): boolean => uuidForm.test(text);

/** Tells whether a text has the form of the id of a node, a component or a prefab object. */
export const isObjectId = (text: string): boolean => objectIdForm.test(text);

/** Tells whether a text has the form of the `__type__` of a script. */
export const isScriptType = (text: string): boolean => scriptTypeForm.test(text);

function compress(uuid: string, plain: number): string {
  if (!isUuid(uuid)) {
    throw new CocosError('E_INVALID_ARGUMENT', `"${uuid}" is no uuid`, {
      suggestion: 'Pass 32 lower-case hexadecimal digits as 8-4-4-4-12.',
    });
  }
  const hex = uuid.replaceAll('-', '');
  let text = hex.slice(0, plain);
  for (let at = plain; at < hex.length; at += 3) {
    const value = Number.parseInt(hex.slice(at, at + 3), 16);
    text += digits.charAt(value >> 6) + digits.charAt(value & 63);
  }
  return text;
}

/** The 22-character form of a uuid: ids of objects. */
export const compressUuid = (uuid: string): string => compress(uuid, 2);

/** The 23-character form of a uuid: the `__type__` of components of that script. */
export const scriptTypeOf = (uuid: string): string => compress(uuid, 5);

/** The uuid that a compressed id stands for; undefined when it is none. */
export function expandId(id: string): string | undefined {
  const plain = isScriptType(id) ? 5 : 2;
  if (plain === 2 && !isObjectId(id)) return undefined;
  let hex = id.slice(0, plain);
  for (let at = plain; at < id.length; at += 2) {
    const high = valueOf.get(id.charAt(at)) ?? 0;
    const low = valueOf.get(id.charAt(at + 1)) ?? 0;
    hex += ((high << 6) | low).toString(16).padStart(3, '0');
  }
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

let uuidSource: () => string = randomUUID;

/** A new uuid: random, or of the source that is in use. */
export const newUuid = (): string => uuidSource();

/** A new id of an object. */
export const newObjectId: NewId = () => compressUuid(newUuid());

/** Does work that is over when it returns; whatever gets a new uuid in it gets one of the source. */
export function withUuids<Result>(source: () => string, work: () => Result): Result {
  const before = uuidSource;
  uuidSource = source;
  try {
    return work();
  } finally {
    uuidSource = before;
  }
}

const subAssetPositions = [0, 6, 16, 25, 31];

/** The id of a sub-asset by its name: `texture`, `spriteFrame`, the name of a mesh. */
export function subAssetId(name: string): string {
  const hash = createHash('md5').update(name).digest('hex');
  return subAssetPositions.map((position) => hash.charAt(position)).join('');
}
