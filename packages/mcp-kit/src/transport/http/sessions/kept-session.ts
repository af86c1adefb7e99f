import { chain, describeError, isPromise, isTold, type Logger, type MaybePromise } from '#base';
import {
  Exchange,
  RpcError,
  rpcErrors,
  unavailable,
  type Connection,
  type Message,
  type Origin,
  type Params,
} from '#jsonrpc';
import type { Serve } from '#protocol';
import type { Values } from '#store';
import type { Caller } from '../admit.ts';
import type { Nodes } from './nodes.ts';

/** What the client of a session has said that still counts: said again in another process, it is the same session. */
export interface SessionRecord {
  readonly endpoint: string;
  readonly principal: string | null;
  readonly client: string | null;
  /** The parameters of `initialize`. */
  readonly hello: Params;
  /** Whether `notifications/initialized` followed. */
  readonly ready: boolean;
  readonly level: string | null;
  /** The resources that it subscribed to. */
  readonly uris: readonly string[];
  /** The node at which its client listens for what belongs to no request. */
  readonly listener: string | null;
  /** The nodes that have it open, as far as they were alive when the last one took it up. */
  readonly nodes: readonly string[];
  /** How many processes have taken it up again. */
  readonly lives: number;
}

/** Where sessions are kept, and for how long. */
export interface SessionPlace {
  readonly kv: Values;
  readonly nodes: Nodes;
  /** Where the sessions were opened, and are of use. */
  readonly endpoint: string;
  readonly ttlMs: number;
  readonly logger: Logger;
  /** Serves what is said again, which was let in and counted when it was said first. */
  readonly serve: Serve;
}

/** What is known of a session; and as a store has it, if it does. */
export interface FoundSession {
  readonly record: SessionRecord;
  readonly text?: string | undefined;
}

type Change = (record: SessionRecord) => SessionRecord;

/** How a message changes what is known of a session. */
const changes: Readonly<Record<string, (record: SessionRecord, params: Params) => SessionRecord>> =
  {
    initialize: (record, hello) => ({ ...record, hello, ready: false, level: null, uris: [] }),
    'notifications/initialized': (record) => ({ ...record, ready: true }),
    'logging/setLevel': (record, { level }) => ({ ...record, level: String(level) }),
    'resources/subscribe': (record, { uri }) => {
      const uris = record.uris.filter((other) => other !== uri);
      return { ...record, uris: [...uris, String(uri)] };
    },
    'resources/unsubscribe': (record, { uri }) => ({
      ...record,
      uris: record.uris.filter((other) => other !== uri),
    }),
  };

const ignored = (): void => {};

/** A record is written again when this part of its lifetime has passed since. */
const renewedAt = 1 / 20;

/** One session as the store has it. */
export class KeptSession {
  /** How many processes had taken it up before this one did. */
  readonly lives: number;
  readonly #place: SessionPlace;
  readonly #id: string;
  #record: SessionRecord;
  /** What the service here has heard of it. */
  #said: SessionRecord;
  #isBehind = false;
  /** The record as the store has it, as far as is known. */
  #text: string | undefined;
  #savedMs = performance.now();
  #forgotten = false;
  #changing: Promise<boolean> | undefined;
  #hearing: MaybePromise<unknown>;
  /** A look at the store that is under way, and the one after it, which all share who ask meanwhile. */
  #looking: Promise<boolean> | undefined;
  #lookingNext: Promise<boolean> | undefined;

  constructor(place: SessionPlace, id: string, { record, text }: FoundSession) {
    this.#place = place;
    this.#id = id;
    this.lives = record.lives;
    this.#record = record;
    this.#said = record;
    this.#text = text;
  }

  /** Whether the session is not to be taken up by anybody again. */
  get forgotten(): boolean {
    return this.#forgotten;
  }

  /** Settles when what was said last without waiting for an answer is kept. */
  get heard(): MaybePromise<unknown> {
    return this.#hearing;
  }

  /** Serves; what changes the session is answered when the change is kept. One that cannot be kept does not begin: `undo`. */
  over(serve: Serve, undo: () => void): Serve {
    return (exchange) => {
      const { method, params = {} } = exchange.message;
      const change = Object.hasOwn(changes, method) ? changes[method] : undefined;
      const outcome = serve(exchange);
      if (change === undefined) return outcome;
      const kept = chain(outcome, (result) => {
        const changed = (record: SessionRecord): SessionRecord => change(record, params);
        return chain(this.#change(changed), (isKept) => {
          if (isKept || method !== 'initialize') return result;
          undo();
          throw unavailable(new RpcError(rpcErrors.overloaded, 'No session can be kept now'));
        });
      });
      if (exchange.message.id === undefined && isPromise(kept)) {
        this.#hearing = kept.then(ignored, ignored);
      }
      return kept;
    };
  }

  /** Whether other nodes have it open. */
  get isShared(): boolean {
    return this.#record.nodes.some((node) => node !== this.#place.nodes.id);
  }

  /** Another node at which its client listens. */
  get elsewhere(): string | undefined {
    const { listener } = this.#record;
    return listener === null || listener === this.#place.nodes.id ? undefined : listener;
  }

  /** Its client listens at this node. */
  listens(): MaybePromise<unknown> {
    const { id } = this.#place.nodes;
    if (this.#record.listener === id) return undefined;
    return this.#change((record) => ({ ...record, listener: id }));
  }

  /** Another node has said that its client listens there, and kept it. */
  listensAt(node: string): void {
    this.#record = { ...this.#record, listener: node };
  }

  /** Another node has ended it. */
  end(): void {
    this.#forgotten = true;
  }

  /** Hears what its client has said to other nodes since; false where it has ended. Never rejects. */
  look(saying: Saying): MaybePromise<boolean> {
    if (this.#looking === undefined) return this.#lookNow(saying);
    // The one that is under way may have begun before that was said which this request builds upon.
    this.#lookingNext ??= this.#looking.then(() => {
      this.#lookingNext = undefined;
      return this.#lookNow(saying);
    });
    return this.#lookingNext;
  }

  #lookNow(saying: Saying): MaybePromise<boolean> {
    const known = this.#text;
    if (known === undefined || this.#forgotten) return !this.#forgotten;
    const found = this.#quietly(() => this.#place.kv.get(placeOf(this.#id)), known);
    const isThere = chain(
      found,
      (text) => (text === known && !this.#isBehind) || this.#catchUp(saying),
    );
    if (!isPromise(isThere)) return isThere;
    this.#looking = isThere.finally(() => (this.#looking = undefined));
    return this.#looking;
  }

  #catchUp(saying: Saying): MaybePromise<boolean> {
    const catchUp = async (): Promise<boolean> => {
      const found = await this.#place.kv.get(placeOf(this.#id));
      if (found === undefined) this.#forgotten = true;
      if (found === undefined) return true;
      this.#text = found;
      this.#record = recordIn(found);
      const before = this.#said;
      this.#said = this.#record;
      this.#isBehind = false;
      await sayNew(before, this.#said, saying);
      return true;
    };
    return chain(this.#inOrder(catchUp), () => !this.#forgotten);
  }

  /** Prolongs the life of the record of a session that is used. */
  touch(): void {
    if (performance.now() - this.#savedMs > this.#place.ttlMs * renewedAt) {
      void this.#change((record) => record);
    }
  }

  forget(): MaybePromise<unknown> {
    if (this.#forgotten) return undefined;
    this.#forgotten = true;
    return this.#inOrder(() => this.#swap(() => undefined));
  }

  #change(change: Change): MaybePromise<boolean> {
    // Also where it cannot be kept: a session that is open goes on, as long as this process does.
    this.#record = change(this.#record);
    if (this.#forgotten) return false;
    this.#savedMs = performance.now();
    return this.#inOrder(() => this.#swap(change));
  }

  /** One change after the other. */
  #inOrder(work: () => MaybePromise<boolean>): MaybePromise<boolean> {
    if (this.#changing === undefined) {
      const done = this.#quietly(work, false);
      return isPromise(done) ? this.#until(done) : done;
    }
    return this.#until(this.#changing.then(() => this.#quietly(work, false)));
  }

  #until(changing: Promise<boolean>): Promise<boolean> {
    const done = changing.finally(() => {
      if (this.#changing === done) this.#changing = undefined;
    });
    this.#changing = done;
    return done;
  }

  /** What fails is for the log: a session that is open goes on, as long as this process does. */
  #quietly<T>(work: () => MaybePromise<T>, otherwise: T): MaybePromise<T> {
    const failed = (error: unknown): T => {
      const session = this.#id.slice(0, 8);
      const why = { session, error: describeError(error) };
      if (!isTold(error)) this.#place.logger.error('a session cannot be kept', why);
      return otherwise;
    };
    try {
      const done = work();
      return isPromise(done) ? done.catch(failed) : done;
    } catch (error) {
      return failed(error);
    }
  }

  /** Changes what the store has, which may be what another process has said; false where it has nothing of this session any more. */
  #swap(change: (record: SessionRecord) => SessionRecord | undefined): MaybePromise<boolean> {
    const { kv, ttlMs } = this.#place;
    const known = this.#text;
    const changed = change(known === undefined ? this.#record : recordIn(known));
    const text = changed && JSON.stringify(changed);
    return chain(kv.cas(placeOf(this.#id), known, text, { ttlMs }), (isKept) => {
      if (isKept) {
        this.#text = text;
        this.#record = changed ?? this.#record;
        this.#said = change(this.#said) ?? this.#said;
        return true;
      }
      return chain(kv.get(placeOf(this.#id)), (found) => {
        if (found === undefined) return false;
        // What others have written in between is said here before the next message.
        this.#isBehind = true;
        this.#text = found;
        return this.#swap(change);
      });
    });
  }
}

function placeOf(id: string): string {
  return `session/${id}`;
}

/** What is known of a session before its client has said anything: where it is, and whose. */
export function newRecord(
  { endpoint, nodes }: SessionPlace,
  { principal, client }: Caller,
): SessionRecord {
  const whose = { endpoint, principal: principal ?? null, client: client ?? null };
  const said = { hello: {}, ready: false, level: null, uris: [], listener: null };
  return { ...whose, ...said, nodes: [nodes.id], lives: 0 };
}

/** Only a kept session is written under these keys. */
function recordIn(text: string): SessionRecord {
  return JSON.parse(text) as SessionRecord;
}

const maxTries = 5;

/** Takes up a session of another process for its owner; what is written down first is that somebody has. */
export async function takeUp(
  place: SessionPlace,
  id: string,
  caller: Caller,
): Promise<FoundSession | undefined> {
  const { kv, ttlMs, nodes } = place;
  const { endpoint, principal, client } = newRecord(place, caller);
  for (let tries = 0; tries < maxTries; tries += 1) {
    const found = await kv.get(placeOf(id));
    if (found === undefined) return undefined;
    const record = recordIn(found);
    const isOwn = record.principal === principal && record.client === client;
    if (!isOwn || record.endpoint !== endpoint) return undefined;
    const others = await nodes.aliveOf(record.nodes);
    const taken = { ...record, nodes: [...others, nodes.id], lives: record.lives + 1 };
    const text = JSON.stringify(taken);
    if (await kv.cas(placeOf(id), found, text, { ttlMs })) return { record: taken, text };
  }
  return undefined;
}

/** To whom something is said again. */
export interface Saying {
  readonly serve: Serve;
  readonly connection: Connection;
  readonly origin: Origin;
}

/** Says again what the client has said, to whoever serves now. */
export async function sayAgain(record: SessionRecord, saying: Saying): Promise<void> {
  await say(saying, { id: 'again', method: 'initialize', params: record.hello });
  await sayNew({ ...record, ready: false, level: null, uris: [] }, record, saying);
}

/** Says what the client has said since. */
async function sayNew(
  before: SessionRecord,
  { ready, level, uris }: SessionRecord,
  saying: Saying,
): Promise<void> {
  if (!ready) return;
  if (!before.ready) await say(saying, { method: 'notifications/initialized' });
  if (level !== null && level !== before.level) {
    await say(saying, { id: 'again', method: 'logging/setLevel', params: { level } });
  }
  // A resource that is gone since takes the session with it no more than it would have done.
  const sayOf = (method: string, uri: string): Promise<unknown> =>
    say(saying, { id: 'again', method, params: { uri } }).catch(() => undefined);
  for (const uri of uris) if (!before.uris.includes(uri)) await sayOf('resources/subscribe', uri);
  for (const uri of before.uris) if (!uris.includes(uri)) await sayOf('resources/unsubscribe', uri);
}

async function say(
  { serve, connection, origin }: Saying,
  message: Omit<Message, 'jsonrpc'>,
): Promise<unknown> {
  return serve(new Exchange({ jsonrpc: '2.0', ...message }, connection, origin));
}
