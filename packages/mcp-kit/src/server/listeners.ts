import { createDeferred, KitError } from '#base';
import { isRecord, noRoomError, RpcError, rpcErrors, type Exchange, type Params } from '#jsonrpc';
import {
  clientOf,
  conversationOf,
  invalidParams,
  isUri,
  metaKeys,
  missingClientCapability,
  supports,
  takesTasks,
  weightOfListen,
  weightOfUri,
  type ClientView,
  type Conversation,
  type Listener,
  type ServerCapabilities,
} from '#protocol';
import { Context } from './context.ts';
import type { Changes, ListKind, WatchTask } from './feature.ts';

interface Filter {
  readonly toolsListChanged?: true | undefined;
  readonly promptsListChanged?: true | undefined;
  readonly resourcesListChanged?: true | undefined;
  readonly resourceSubscriptions?: readonly string[] | undefined;
  readonly taskIds?: readonly string[] | undefined;
}

const maxListens = 10_000;
const maxUris = 1000;

const bitOf: Readonly<Record<ListKind, number>> = { tools: 1, prompts: 2, resources: 4 };
const allLists = bitOf.tools | bitOf.prompts | bitOf.resources;
const kinds = ['tools', 'prompts', 'resources'] as const;

/** All who hear of changes: legacy sessions, and open `subscriptions/listen` requests. */
export class Listeners implements Changes {
  readonly #open = new Set<Listener>();
  readonly #offered: ServerCapabilities;
  /** How the open listens are ended. */
  readonly #listens = new Set<() => void>();
  readonly #watchTask: WatchTask | undefined;
  #closed = false;

  constructor(offered: ServerCapabilities, [watchTask]: readonly WatchTask[] = []) {
    this.#offered = offered;
    this.#watchTask = watchTask;
  }

  /** A legacy client is ready: it hears of all lists, and of the resources it subscribes to. */
  join(conversation: Conversation): void {
    const { connection } = conversation;
    const tell: Listener['tell'] = (method, params) => void connection.notify(method, params);
    const client: Listener['client'] = () => conversation.handshake.client;
    const listener: Listener = { lists: allLists, uris: undefined, client, tell };
    conversation.listener = listener;
    this.#open.add(listener);
    conversation.onEnded(() => {
      this.#open.delete(listener);
      for (const uri of listener.uris ?? []) connection.keep(-weightOfUri(uri));
    });
  }

  /** Adds a resource to those of which a legacy client hears. */
  subscribe(exchange: Exchange): object {
    const { uri, uris, keep } = subscriptionOf(exchange);
    if (uris.has(uri)) return {};
    if (uris.size >= maxUris) {
      throw new RpcError(rpcErrors.overloaded, `More than ${maxUris} subscriptions`);
    }
    if (!keep(weightOfUri(uri))) throw noRoomError();
    uris.add(uri);
    return {};
  }

  unsubscribe(exchange: Exchange): object {
    const { uri, uris, keep } = subscriptionOf(exchange);
    if (uris.delete(uri)) keep(-weightOfUri(uri));
    return {};
  }

  /** Stays open, telling what the filter asks for, until the client leaves or the server closes. */
  async listen(exchange: Exchange): Promise<object> {
    const lists = honour(exchange.message.params, this.#offered);
    const wanted = this.#watchTask && tasksIn(exchange);
    // What it came with may be megabytes, and it stays for hours.
    exchange.forgetParams();
    if (this.#listens.size >= maxListens) {
      throw new RpcError(rpcErrors.overloaded, 'Too many subscriptions');
    }
    const weight = weightOfListen({ ...lists, taskIds: wanted });
    if (exchange.link.budget?.admits('listens', weight) === false) throw noRoomError();
    const tasks = wanted && (await this.#watch(exchange, wanted));
    const filter: Filter = tasks === undefined ? lists : { ...lists, taskIds: tasks.taskIds };
    try {
      await exchange.notify('notifications/subscriptions/acknowledged', {
        notifications: filter,
        ...tagOf(exchange),
      });
      tasks?.tell();
      if (!this.#closed && Object.keys(filter).length > 0) await this.#hold(exchange, filter);
    } finally {
      tasks?.leave();
    }
    return tagOf(exchange);
  }

  /** Watches tasks on behalf of a client; what is heard before it was told of which waits. */
  async #watch(exchange: Exchange, wanted: readonly string[]): Promise<WatchedTasks | undefined> {
    const context = new Context(exchange);
    const early: object[] = [];
    let isTold = false;
    const tell = (task: object): void => {
      if (!isTold) early.push(task);
      else void exchange.notify('notifications/tasks', { ...task, ...tagOf(exchange) });
    };
    const taskIds: string[] = [];
    const ends: (() => void)[] = [];
    for (const taskId of new Set(wanted)) {
      const end = await this.#watchTask?.(taskId, context, tell);
      if (end === undefined) continue;
      taskIds.push(taskId);
      ends.push(end);
    }
    if (taskIds.length === 0) return undefined;
    return {
      taskIds,
      tell() {
        isTold = true;
        for (const task of early.splice(0)) tell(task);
      },
      leave() {
        for (const end of ends) end();
      },
    };
  }

  async #hold(exchange: Exchange, filter: Filter): Promise<void> {
    const { stop, link } = exchange;
    if (stop.aborted) return;
    const { promise, resolve, reject } = createDeferred<void>();
    const listener = listenerOf(exchange, filter);
    const gone = (): void => reject(new KitError('aborted', 'the subscriber left'));
    this.#open.add(listener);
    this.#listens.add(resolve);
    stop.addEventListener('abort', gone, { once: true });
    const letGo = (): boolean => {
      held?.resize(0);
      reject(noRoomError());
      return true;
    };
    const held = link.budget?.hold('listens', weightOfListen(filter), { letGo });
    try {
      await promise;
    } finally {
      held?.resize(0);
      this.#open.delete(listener);
      this.#listens.delete(resolve);
    }
  }

  listChanged(kind: ListKind, concerns?: (client: ClientView) => boolean): void {
    for (const listener of this.#open) {
      if ((listener.lists & bitOf[kind]) === 0) continue;
      const client = concerns && listener.client();
      if (client !== undefined && concerns?.(client) === false) continue;
      listener.tell(`notifications/${kind}/list_changed`);
    }
  }

  resourceUpdated(uri: string): void {
    for (const listener of this.#open) {
      if (listener.uris?.has(uri)) listener.tell('notifications/resources/updated', { uri });
    }
  }

  /** Completes every open `subscriptions/listen`. */
  close(): void {
    this.#closed = true;
    for (const finish of this.#listens) finish();
  }
}

/** The tasks that a client hears of. */
interface WatchedTasks {
  readonly taskIds: readonly string[];
  /** From now on the client may be told. */
  tell(): void;
  leave(): void;
}

/** The tasks that a client wants to hear of; it must have said that it understands them. */
function tasksIn(exchange: Exchange): readonly string[] | undefined {
  const wanted = exchange.message.params?.['notifications'];
  const taskIds = isRecord(wanted) ? wanted['taskIds'] : undefined;
  if (taskIds === undefined) return undefined;
  if (!supports(clientOf(exchange).capabilities, takesTasks)) {
    throw missingClientCapability(takesTasks);
  }
  if (!isStrings(taskIds)) throw invalidParams(`taskIds must be at most ${maxUris} strings`);
  return taskIds;
}

function listenerOf(exchange: Exchange, filter: Filter): Listener {
  let lists = 0;
  for (const kind of kinds) if (filter[`${kind}ListChanged`] === true) lists |= bitOf[kind];
  const uris = filter.resourceSubscriptions && new Set(filter.resourceSubscriptions);
  const client = clientOf(exchange);
  return {
    lists,
    uris,
    client: () => client,
    tell: (method, params) => void exchange.notify(method, { ...params, ...tagOf(exchange) }),
  };
}

/** What a legacy client names, and what it hears of. */
function subscriptionOf(exchange: Exchange) {
  const uri = exchange.message.params?.['uri'];
  if (!isUri(uri)) throw invalidParams('uri must be a string, and not an enormous one');
  const conversation = conversationOf(exchange);
  const listener = conversation?.listener;
  if (conversation === undefined || listener === undefined) {
    throw new RpcError(rpcErrors.invalidRequest, 'Only a session can subscribe');
  }
  listener.uris ??= new Set();
  const keep = (bytes: number): boolean => conversation.connection.keep(bytes);
  return { uri, uris: listener.uris, keep };
}

/** The part of the requested filter that this server can serve. */
function honour(params: Params | undefined, offered: ServerCapabilities): Filter {
  const wanted = params?.['notifications'];
  if (!isRecord(wanted)) throw invalidParams('notifications must be an object');
  const uris = wanted['resourceSubscriptions'];
  if (uris !== undefined && !isStrings(uris)) {
    throw invalidParams(`resourceSubscriptions must be at most ${maxUris} URIs`);
  }
  const filter: { -readonly [K in keyof Filter]: Filter[K] } = {};
  for (const kind of kinds) {
    const member = `${kind}ListChanged` as const;
    if (wanted[member] === true && offered[kind]?.listChanged === true) filter[member] = true;
  }
  if (uris !== undefined && uris.length > 0 && offered.resources?.subscribe === true) {
    filter.resourceSubscriptions = uris;
  }
  return filter;
}

function isStrings(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length <= maxUris && value.every(isUri);
}

/** Every message of a subscription names the request that opened it. */
function tagOf({ message: { id } }: Exchange): { readonly _meta: Params } {
  return { _meta: { [metaKeys.subscriptionId]: id } };
}
