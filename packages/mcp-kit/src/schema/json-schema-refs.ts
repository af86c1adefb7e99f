/** A part of a schema with a URI of its own: the whole, or what an `$id` names. */
export interface Resource {
  readonly uri: string;
  readonly root: Readonly<Record<string, unknown>>;
  readonly anchors: Map<string, unknown>;
}

/** The URI of a schema that has none. */
export const namelessUri = 'schema:///';

/** A longer one names nothing, and each of thousands of references would be resolved against it. */
const maxUriLength = 1000;

/** `reference` seen from `base`, without its fragment; undefined when the two do not make a URI. */
export function resolveUri(reference: string, base: string): string | undefined {
  if (reference.startsWith('#')) return base;
  if (reference.length > maxUriLength) return undefined;
  try {
    const uri = new URL(reference, base);
    uri.hash = '';
    return uri.href;
  } catch {
    return undefined;
  }
}

/** The fragment of a reference, decoded where it can be. */
export function fragmentOf(reference: string): string {
  const [, fragment = ''] = reference.split('#');
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** What a fragment names within a resource: all of it, an anchor, or the end of a JSON pointer. */
export function findTarget(resource: Resource, fragment: string): unknown {
  if (fragment === '') return resource.root;
  if (!fragment.startsWith('/')) return resource.anchors.get(fragment);
  let target: unknown = resource.root;
  for (const token of fragment.slice(1).split('/')) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key))
      return undefined;
    target = Reflect.get(target, key);
  }
  return target;
}
