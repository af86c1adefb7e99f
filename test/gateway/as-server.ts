import { Inbox } from '../interop/inbox.ts';
import type { Session } from '../interop/hosts.ts';
import type { SdkNotification } from '../interop/peers.mjs';

interface Named {
  readonly name: string;
}
type Fields = Record<string, unknown>;
type Call = (params?: Fields, ...more: unknown[]) => Promise<Fields>;

/** A client of a gateway as one that knows a single one of its servers, by the names that this one uses. */
export function asServer(session: Session, server: string): Session {
  const before = `${server}__`;
  const start = `mcp-kit:${server}/`;
  const named = (name: unknown): string => `${before}${String(name)}`;
  const qualified = (uri: unknown): string => `${start}${String(uri)}`;
  const plain = (uri: unknown): unknown =>
    typeof uri === 'string' && uri.startsWith(start) ? uri.slice(start.length) : uri;
  const own = (items: unknown): Named[] =>
    (items as Named[])
      .filter(({ name }) => name.startsWith(before))
      .map((item) => ({ ...item, name: item.name.slice(before.length) }));
  const ownUris = (items: unknown, member: string): Fields[] =>
    (items as Fields[])
      .filter((item) => String(item[member]).startsWith(start))
      .map((item) => ({ ...item, [member]: plain(item[member]) }));
  const withUri = (item: Fields): Fields => ({ ...item, uri: plain(item['uri']) });

  const inbox = new Inbox();
  const put = async ({ method, params }: SdkNotification): Promise<void> => {
    inbox.put(params === undefined ? { method } : { method, params: withUri({ ...params }) });
  };
  Object.assign(session.client, { fallbackNotificationHandler: put });
  const client = session.client as unknown as Record<string, Call>;
  const call = (method: string, ...args: Parameters<Call>): Promise<Fields> =>
    (client[method] as Call).apply(client, args);
  const changed: Record<string, Call> = {
    listTools: async (params) => {
      const page = await call('listTools', params);
      return { ...page, tools: own(page['tools']) };
    },
    listPrompts: async (params) => {
      const page = await call('listPrompts', params);
      return { ...page, prompts: own(page['prompts']) };
    },
    getPrompt: (params = {}) => call('getPrompt', { ...params, name: named(params['name']) }),
    listResources: async (params) => {
      const page = await call('listResources', params);
      return { ...page, resources: ownUris(page['resources'], 'uri') };
    },
    listResourceTemplates: async (params) => {
      const page = await call('listResourceTemplates', params);
      return { ...page, resourceTemplates: ownUris(page['resourceTemplates'], 'uriTemplate') };
    },
    readResource: async (params = {}) => {
      const result = await call('readResource', { ...params, uri: qualified(params['uri']) });
      return { ...result, contents: (result['contents'] as Fields[]).map(withUri) };
    },
    subscribeResource: ({ uri } = {}) => call('subscribeResource', { uri: qualified(uri) }),
    unsubscribeResource: ({ uri } = {}) => call('unsubscribeResource', { uri: qualified(uri) }),
    complete: (params = {}) => {
      const ref = params['ref'] as Fields;
      const asked =
        ref['type'] === 'ref/prompt'
          ? { ...ref, name: named(ref['name']) }
          : { ...ref, uri: qualified(ref['uri']) };
      return call('complete', { ...params, ref: asked });
    },
    listen: async (filter = {}) => {
      const uris = (filter['resourceSubscriptions'] ?? []) as readonly string[];
      const subscription = await call('listen', {
        ...filter,
        resourceSubscriptions: uris.map(qualified),
      });
      const honored = subscription['honoredFilter'] as Fields;
      const told = (honored['resourceSubscriptions'] ?? []) as readonly string[];
      return {
        close: () => (subscription['close'] as () => unknown)(),
        closed: subscription['closed'],
        honoredFilter: { ...honored, resourceSubscriptions: told.map(plain) },
      };
    },
  };
  const proxied = new Proxy(session.client, {
    get(target, member) {
      if (typeof member === 'string' && Object.hasOwn(changed, member)) return changed[member];
      const value: unknown = Reflect.get(target, member);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return {
    ...session,
    client: proxied,
    inbox,
    call: (name, args, options) => session.call(named(name), args, options),
  };
}
