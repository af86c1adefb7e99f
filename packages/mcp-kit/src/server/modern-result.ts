import { Encoded, isRecord } from '#jsonrpc';
import { cacheable, metaKeys, type Implementation } from '#protocol';

/** How long clients may keep what they were told. */
export interface Caching {
  readonly ttlMs: number;
  readonly scope: 'public' | 'private';
}

/** Dresses neutral results in what the stateless revision requires on every result. */
export function modernResults(
  serverInfo: Implementation,
  caching: Caching,
): (method: string, result: unknown) => Encoded {
  const complete = { resultType: 'complete' };
  const hints = { ttlMs: caching.ttlMs, cacheScope: caching.scope };
  const meta = { [metaKeys.serverInfo]: serverInfo };
  // The same for every list, so written once and appended as text.
  const tail = JSON.stringify({ ...complete, _meta: meta }).slice(1);
  const cacheableTail = JSON.stringify({ ...complete, ...hints, _meta: meta }).slice(1);
  const dressedLists = new WeakMap<Encoded, Encoded>();

  const append = (method: string, json: string): string => {
    const end = cacheable.has(method) ? cacheableTail : tail;
    return json === '{}' ? `{${end}` : `${json.slice(0, -1)},${end}`;
  };

  return (method, result) => {
    if (result instanceof Encoded) {
      // Only what may be kept is asked for again and again.
      if (!cacheable.has(method)) return new Encoded(append(method, result.json), result.value);
      let dressed = dressedLists.get(result);
      if (dressed === undefined) {
        dressed = new Encoded(append(method, result.json), undefined, true);
        dressedLists.set(result, dressed);
      }
      return dressed;
    }
    const fields = isRecord(result) ? result : {};
    const { _meta: own, resultType } = fields;
    const asks = resultType === 'input_required';
    const dressed = {
      ...complete,
      ...(cacheable.has(method) && !asks ? hints : undefined),
      ...fields,
      _meta: isRecord(own) ? { ...meta, ...own } : meta,
    };
    return new Encoded(JSON.stringify(dressed), dressed);
  };
}
