import { type Entry, isList, type Json, type JsonObject } from '#cocos/document';

/** A use of an asset. */
export interface AssetSpot {
  readonly at: number;
  readonly path: readonly (string | number)[];
  readonly uuid: string;
  readonly expected: string;
}

/** A place in an object. */
export interface Spot {
  readonly at: number;
  /** The way from there. */
  readonly path: readonly (string | number)[];
}

interface Scan {
  readonly at: number;
  readonly leads: (to: Json) => boolean;
  readonly path: (string | number)[];
  readonly assets: AssetSpot[];
  readonly dangling: Spot[];
}

const nothing: readonly AssetSpot[] = [];

/** Finds the assets that an object uses, and puts with `dangling` where it refers to what is not there. */
export function scanObject(
  entry: Entry,
  at: number,
  { leads, dangling }: Pick<Scan, 'leads' | 'dangling'>,
): readonly AssetSpot[] {
  const scan: Scan = { at, leads, path: [], assets: [], dangling };
  visit(scan, entry);
  return scan.assets.length === 0 ? nothing : scan.assets;
}

function visit(scan: Scan, value: JsonObject | readonly Json[]): void {
  if (isList(value)) {
    for (let index = 0; index < value.length; index += 1) visitPart(scan, index, value[index]);
    return;
  }
  const { at, path } = scan;
  const { __id__: to, __uuid__: uuid, __expectedType__: expected } = value;
  if (to !== undefined) {
    if (!scan.leads(to)) scan.dangling.push({ at, path: [...path] });
  } else if (typeof uuid === 'string') {
    const type = typeof expected === 'string' ? expected : '';
    scan.assets.push({ at, path: [...path], uuid, expected: type });
  } else {
    for (const key in value) visitPart(scan, key, value[key]);
  }
}

function visitPart(scan: Scan, key: string | number, value: Json | undefined): void {
  if (typeof value !== 'object' || value === null) return;
  scan.path.push(key);
  visit(scan, value);
  scan.path.pop();
}
