import type { CocosBackend } from '@mcp-kit/cocos/backend';

/** The backend of whichever project is asked for at each time: tools and servers that are made once serve many. */
export function forwarding(kind: CocosBackend['kind'], current: () => CocosBackend): CocosBackend {
  const keys = forwarded(() => current().keys);
  return forwarded(current, { kind, keys });
}

/** The methods of what there is at the time of each call; and what stays the same. */
function forwarded<T extends object>(current: () => T, fixed: Partial<T> = {}): T {
  return new Proxy(fixed as T, {
    get: (_, name) =>
      Object.hasOwn(fixed, name)
        ? Reflect.get(fixed, name)
        : (...args: unknown[]) => Reflect.apply(methodOf(current(), name), current(), args),
  });
}

function methodOf(holder: object, name: PropertyKey): (...args: unknown[]) => unknown {
  return Reflect.get(holder, name) as (...args: unknown[]) => unknown;
}
