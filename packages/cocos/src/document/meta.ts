import { isObject, textOf } from './json.ts';
import type { JsonObject } from './json.ts';
import { metaStyle, parseText, printText } from './text.ts';
import type { TextStyle } from './text.ts';

/** The `.meta` of an asset; edits change `value`. */
export interface Meta {
  readonly value: JsonObject;
  readonly style: TextStyle;
  readonly uuid: string;
  readonly importer: string;
  readonly ver: string;
}

/** A part of an asset that can be referenced by itself. */
export interface SubMeta {
  readonly id: string;
  readonly uuid: string;
  readonly importer: string;
  readonly name: string;
  readonly value: JsonObject;
}

function metaOf(value: JsonObject, style: TextStyle): Meta {
  const [uuid, importer, ver] = ['uuid', 'importer', 'ver'].map((key) => textOf(value[key]));
  return { value, style, uuid: uuid ?? '', importer: importer ?? '', ver: ver ?? '' };
}

/** Parses a `.meta`; undefined for files of that name that describe no asset. */
export function parseMeta(text: string): Meta | undefined {
  const { value, style } = parseText(text);
  if (!isObject(value)) return undefined;
  const meta = metaOf(value, style);
  return meta.uuid === '' || meta.importer === '' ? undefined : meta;
}

/** A new meta, written as the editor writes it. */
export function createMeta(value: JsonObject): Meta {
  return metaOf(value, metaStyle);
}

/** The text of a meta; the very text it was parsed from while nothing changed. */
export function printMeta(meta: Meta): string {
  return printText(meta.value, meta.style);
}

/** The sub-assets of a meta, of all depths. */
export function subMetasOf(meta: Meta): SubMeta[] {
  return subMetasIn(meta.value, meta.uuid);
}

function subMetasIn(value: JsonObject, owner: string): SubMeta[] {
  const subMetas = value['subMetas'];
  if (!isObject(subMetas)) return [];
  return Object.entries(subMetas).flatMap(([id, sub]) => {
    if (!isObject(sub)) return [];
    const uuid = textOf(sub['uuid']) || `${owner}@${id}`;
    const { importer, name } = { importer: textOf(sub['importer']), name: textOf(sub['name']) };
    return [{ id, uuid, importer, name, value: sub }, ...subMetasIn(sub, uuid)];
  });
}
