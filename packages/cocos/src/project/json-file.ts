import { readFileSync, statSync } from 'node:fs';
import { isObject, type JsonObject } from '#cocos/document';

/** Larger than any of these files is. */
const maxBytes = 16 * 1024 * 1024;

/** The object of a JSON file; undefined where there is none, also when the file is damaged. */
export function readJsonFile(file: string): JsonObject | undefined {
  try {
    const stat = statSync(file);
    // To read a pipe would be to wait for ever.
    if (!stat.isFile() || stat.size > maxBytes) return undefined;
    const value: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The object inside an object, along a path of names; empty where there is none. */
export function objectIn(value: JsonObject | undefined, ...names: string[]): JsonObject {
  let inner: unknown = value;
  for (const name of names) inner = isObject(inner) ? inner[name] : undefined;
  return isObject(inner) ? inner : {};
}
